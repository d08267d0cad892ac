//! The sandbox of the runners of a replay, and what it prevents them from writing.

use std::ffi::OsString;
use std::path::Path;

use super::of_the_original;
use crate::model::{ReplayAsk, ReplayPlan, Sandbox, SandboxAsk};
use crate::world::{World, sandbox};

/// The sandbox of a replay whose runner is known or not. The error is a sentence.
pub(crate) fn choose(
    ask: &ReplayAsk,
    has_runner: bool,
    world: &dyn World,
) -> Result<Sandbox, String> {
    let off = |why: &str| Ok(Sandbox::Off(why.into()));
    match ask.isolation.sandbox {
        SandboxAsk::Off => return off("it was switched off"),
        SandboxAsk::Auto | SandboxAsk::Bwrap if ask.in_place => {
            return off("the replay works in the project itself");
        }
        SandboxAsk::Auto | SandboxAsk::Bwrap if !has_runner => return off("there is no runner"),
        SandboxAsk::Auto if !world.processes().on_path(sandbox::BWRAP) => {
            return off("bwrap is not installed");
        }
        SandboxAsk::Auto | SandboxAsk::Bwrap => {}
    }
    match (sandbox::bwrap(), ask.isolation.sandbox) {
        (Ok(program), _) => Ok(Sandbox::Bwrap(program)),
        (Err(why), SandboxAsk::Bwrap) => Err(format!("There is no sandbox: {why}.")),
        (Err(why), SandboxAsk::Auto | SandboxAsk::Off) => Ok(Sandbox::Off(why.into())),
    }
}

/// The words that start a runner in the sandbox of a session; empty where there is none.
pub(crate) fn wrapper(plan: &ReplayPlan, session: &Path, world: &dyn World) -> Vec<OsString> {
    match &plan.isolation.sandbox {
        Sandbox::Off(_) => Vec::new(),
        Sandbox::Bwrap(program) => {
            sandbox::wrapper(program, &of_the_original(plan, world), session)
        }
    }
}
