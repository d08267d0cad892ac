mod create;
mod kit;
mod reopen;
