//! The disk of this machine, held to its promises on real folders.
