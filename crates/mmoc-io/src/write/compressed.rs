//! Files that are compressed because their names say so.

use std::io::{self, Write};
use std::path::Path;

/// Lets `fill` write to a file, compressed if the file's name ends in `.gz` or `.bz2`.
///
/// The same bytes are always compressed to the same: no time is written down.
pub(super) fn compressed(
    path: &Path,
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let ends_in = |end: &str| {
        let extension = path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(end))
    };
    if ends_in("gz") {
        let mut gzip = flate2::write::GzEncoder::new(out, flate2::Compression::default());
        fill(&mut gzip)?;
        gzip.finish()?;
    } else if ends_in("bz2") {
        let mut bzip2 = bzip2::write::BzEncoder::new(out, bzip2::Compression::default());
        fill(&mut bzip2)?;
        bzip2.finish()?;
    } else {
        fill(out)?;
    }
    Ok(())
}
