//! Where the commands look for pipelines, what names one, and the answer to a name that matches none. The home and
//! the projects are made for each test; there is no sandbox.

pub(crate) mod machine;

mod completion;
mod found;
mod ids;
mod options;
mod recoveries;
mod words;
