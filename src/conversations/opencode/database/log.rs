//! The write-ahead log of a `SQLite` database: pages that are not in the database yet. See
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

/// Length of the header before the first frame.
pub(super) const HEADER: usize = 32;
/// Length of a frame's header before its page.
const FRAME: usize = 24;

/// A database with the pages of its log applied, as one that has no log; `None` if it is not a database. Frames after
/// the last complete commit are left out.
pub(super) fn apply(mut image: Vec<u8>, log: &[u8], most: u64) -> Option<Vec<u8>> {
    let (header, mut rest) = log.split_at_checked(HEADER)?;
    let page = usize::try_from(number(header, 8)?).ok()?;
    // The lowest bit of the magic number is the byte order of the checksums.
    let big_endian = number(header, 0)? & 1 == 1;
    let salts = header.get(16..24)?;
    let mut sums = sum((0, 0), header.get(..24)?, big_endian);
    let mut open: Vec<(usize, &[u8])> = Vec::new();
    while let Some((frame, after)) = rest.split_at_checked(FRAME.checked_add(page)?) {
        rest = after;
        let (head, content) = frame.split_at(FRAME);
        sums = sum(sums, head.first_chunk::<8>()?, big_endian);
        sums = sum(sums, content, big_endian);
        let written = (number(head, 16)?, number(head, 20)?);
        if head.get(8..16) != Some(salts) || written != sums {
            break;
        }
        let index = usize::try_from(number(head, 0)?).ok()?.checked_sub(1)?;
        open.push((index.checked_mul(page)?, content));
        let pages = usize::try_from(number(head, 4)?).ok()?;
        if pages == 0 {
            continue;
        }
        let len = pages.checked_mul(page)?;
        if u64::try_from(len).ok()? > most {
            return None;
        }
        image.resize(len, 0);
        for (at, content) in open.drain(..) {
            // A page after the end was freed by the same commit.
            if let Some(place) = image.get_mut(at..at.checked_add(page)?) {
                place.copy_from_slice(content);
            }
        }
    }
    // Its header would still announce a log.
    image.get_mut(18..20)?.fill(1);
    Some(image)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_be_bytes(*bytes))
}

/// The running checksums over pairs of numbers.
fn sum(sums: (u32, u32), bytes: &[u8], big_endian: bool) -> (u32, u32) {
    let (words, _) = bytes.as_chunks::<4>();
    let read = if big_endian {
        u32::from_be_bytes
    } else {
        u32::from_le_bytes
    };
    words.chunks_exact(2).fold(sums, |(first, second), pair| {
        let &[one, two] = pair else {
            return (first, second);
        };
        let first = first.wrapping_add(read(one)).wrapping_add(second);
        let second = second.wrapping_add(read(two)).wrapping_add(first);
        (first, second)
    })
}
