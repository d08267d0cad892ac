//! Every check, holding and failing.
