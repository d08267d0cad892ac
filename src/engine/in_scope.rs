//! What relight keeps, such as recoveries and records, belongs to a scope by the path of its project, or because the
//! scope finds its pipeline.

use std::cell::OnceCell;
use std::path::Path;

use super::history::{project_of, unread};
use super::search_area::SearchArea;
use super::{Engine, Request, Result, Scope, Skipped};
use crate::apply::disk::RealDisk;
use crate::apply::history::Unreadable;
use crate::model::Pipeline;

/// The test for what is kept.
pub(super) struct InScope<'a> {
    engine: &'a Engine,
    request: &'a Request,
    pub(super) area: SearchArea,
    /// Whether everything belongs to it.
    pub(super) all: bool,
    found: OnceCell<Vec<Pipeline>>,
}

impl Engine {
    /// The test for a request's scope. Whoever names the machine means everything, so that every id can be found; where
    /// it is only the usual scope, it does not have what was left by projects elsewhere.
    pub(super) fn in_scope<'a>(&'a self, request: &'a Request) -> Result<InScope<'a>> {
        Ok(InScope {
            engine: self,
            request,
            area: self.search_area(request)?,
            all: request.paths.is_empty() && request.scope == Some(Scope::Machine),
            found: OnceCell::new(),
        })
    }
}

impl InScope<'_> {
    /// Whether something at a path belongs to it, or to a pipeline for which `is_its` holds.
    pub(super) fn holds(&self, path: &Path, is_its: &dyn Fn(&Pipeline) -> bool) -> bool {
        // Only the machine has places that tell of projects elsewhere.
        let told = || self.area.scope == Scope::Machine && self.pipelines().iter().any(is_its);
        self.all || self.area.holds_path(path) || told()
    }

    /// Of what cannot be read: all in a wide scope, else what is kept of its roots, or in these folders of projects.
    pub(super) fn unreadable(
        &self,
        found: Vec<Unreadable>,
        projects: &[String],
        what: &str,
    ) -> Vec<Skipped> {
        let roots = self.area.roots.iter();
        let own: Vec<String> = roots
            .filter_map(|root| project_of(&RealDisk::new(), root))
            .collect();
        let is_here = |odd: &Unreadable| {
            self.all || own.contains(&odd.project) || projects.contains(&odd.project)
        };
        let found = found.into_iter().filter(is_here);
        found
            .map(|odd| unread(odd.path, what, &odd.reason))
            .collect()
    }

    /// The pipelines of the scope. Most answers do not need them.
    fn pipelines(&self) -> &[Pipeline] {
        self.found.get_or_init(|| {
            let request = Request {
                all: true,
                ..self.request.clone()
            };
            let found = self.engine.survey(&request, &|_| {});
            found.map(|survey| survey.pipelines).unwrap_or_default()
        })
    }
}
