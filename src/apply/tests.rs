mod crash;
mod order;
