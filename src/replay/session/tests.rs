mod create;
mod in_place;
mod kit;
mod reopen;
