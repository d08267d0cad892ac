//! Homes and slots on real folders.
