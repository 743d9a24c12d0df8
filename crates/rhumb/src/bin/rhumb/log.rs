//! What is told while a command works: a line now and then with `-v`, and as much as `RUST_LOG` asks for. It goes to standard error.

use std::time::Instant;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

/// Seconds from the beginning.
struct Since(Instant);

impl FormatTime for Since {
    fn format_time(&self, writer: &mut Writer<'_>) -> std::fmt::Result {
        write!(writer, "{:7.2} s ", self.0.elapsed().as_secs_f64())
    }
}

/// Begins to tell. Without `-v` and `RUST_LOG` nothing is told.
pub(crate) fn start(verbose: bool) {
    let asked = std::env::var("RUST_LOG").ok();
    let asked = asked.filter(|directives| !directives.is_empty());
    let is_asked = asked.is_some();
    let filter = match (asked, verbose) {
        (Some(directives), _) => EnvFilter::builder().parse_lossy(directives),
        (None, true) => EnvFilter::new("rhumb=info"),
        (None, false) => return,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_timer(Since(Instant::now()))
        .with_level(is_asked)
        .with_target(is_asked);
    // Somebody who uses the commands as a library may have another one.
    let _ = subscriber.try_init();
}
