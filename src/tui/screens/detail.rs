//! Everything about one row: every field, and the raw line or file it was read from.

mod update;

use ratatui::layout::Margin;

use crate::tui::prelude::*;

pub(crate) use update::{open, open_plan_row, plan_read_again, read_again};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Detail");

commands! {
    Passages,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Passages => "passages", CONTEXT, ["s"], "passages", "Show the last passages of the conversation, or hide them. Secrets are removed.", cli "relight why PIPELINE --conversation", foot 0),
];

/// A conversation whose passages may be asked for. They are gone when the dialog closes.
#[derive(Debug, Clone)]
pub(crate) struct Quotable {
    /// The pipeline that it worked on.
    pub(crate) pipeline: PipelineId,
    /// Its id.
    pub(crate) conversation: Foreign,
    /// Whether its passages were asked for.
    pub(crate) asked: bool,
}

/// The dialog.
#[derive(Debug, Clone, Default)]
pub(crate) struct Detail {
    /// What it is about.
    pub(crate) title: Clean,
    /// Its fields.
    pub(crate) facts: Vec<(&'static str, Clean)>,
    /// More lines, such as paths.
    pub(crate) list: Vec<Clean>,
    /// Where it was read.
    pub(crate) origin: Option<Origin>,
    /// The conversation that it is about.
    pub(crate) quotable: Option<Quotable>,
    /// The raw line or file, or the passages of the conversation, once they are there.
    pub(crate) raw: Load<Vec<Clean>>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// What `y` copies.
    pub(crate) copy: Clean,
}

impl Screen for Detail {
    fn profile(&self) -> Profile<'_> {
        Profile::dialog("detail")
            .heard_in(CONTEXT)
            .ends_with_plan()
            .runs(update::run)
            .awaits(self.ticket)
            .reloads(update::read_source)
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        cmd != Cmd::Passages || self.quotable.is_some()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let (x, y) = if area.width >= 110 { (8, 2) } else { (0, 0) };
        let place = area.inner(Margin::new(x, y));
        canvas.pen.clear(place);
        let wide = usize::from(place.width).saturating_sub(6);
        let title = Bits::of(Role::Title, ellipsis(&self.title, wide));
        let inside = canvas.pen.frame(place, &title, true);
        let inside = indented(inside);
        let mut page = TextPage::of(inside);
        content(canvas.state, self, &mut page);
        page.draw(canvas, inside, ListId::of::<Self>());
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        Ok(self.copy.clone())
    }

    fn origin(&self, _: &State) -> Option<Origin> {
        self.origin.clone()
    }
}

fn content(state: &State, detail: &Detail, page: &mut TextPage) {
    // What was said has the whole dialog.
    let quoted = detail.quotable.as_ref().is_some_and(|one| one.asked);
    if !quoted {
        fields(detail, page);
    }
    let heading = match (&detail.origin, &detail.quotable) {
        (Some(origin), _) => {
            let what = match origin.line {
                Some(line) => clean!("line {} of {}", line, origin.file),
                None => clean!("{}", origin.file),
            };
            let what = what.clip_start(page.width.saturating_sub(20));
            let file = origin.file.as_path().into();
            let what = Bits::new().file(Role::Title, what, &file);
            what.dim(state.with_key(Cmd::Open, "  {} opens it ──"))
        }
        (None, _) if quoted => {
            let what = "From the conversation (not verified, secrets removed)";
            Bits::of(Role::Title, what).dim(state.with_key(Cmd::Passages, "  {} hides it ──"))
        }
        (None, _) => return,
    };
    if !quoted {
        page.blank();
    }
    page.line(Bits::of(Role::Dim, "── ").join(heading));
    match &detail.raw {
        Load::Pending => {
            page.line(Bits::of(Role::Accent, look::spinner(state.beat)).dim(" reading …"));
        }
        Load::Failed(trouble) => {
            page.line(Bits::of(Role::Bad, "✗ ").text(trouble.text.clean()));
        }
        Load::Ready(raw) => {
            for text in raw.iter() {
                page.text(text.clone());
            }
        }
    }
}

/// Its fields, and what is listed of it.
fn fields(detail: &Detail, page: &mut TextPage) {
    let facts = detail.facts.iter();
    let facts = facts.map(|(label, text)| Fact::text(label, text.clone()));
    page.facts(&facts.collect::<Vec<Fact>>());
    if !detail.list.is_empty() {
        page.blank();
        for text in &detail.list {
            page.line(Bits::of(Role::Text, text.clone()));
        }
    }
}
