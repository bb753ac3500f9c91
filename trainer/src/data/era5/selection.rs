//! A box and a period of a variable, from one or several files.

use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use pno::task::Mask;

use super::axis::{self, Part};
use super::layout::Layout;
use super::periods::Period;
use super::region::Region;
use super::times::{self, Stamp};
use super::unit::Unit;
use super::view::View;
use crate::data::missing::{self, Fault};
use crate::formats::Archive;
use crate::formats::budget::MAX_BLOCK_BYTES;
use crate::formats::cf::format_date;

/// Most values that all threads together read at once for the sake of a file's own chunks: a quarter of what a block may have.
const AT_ONCE: usize = MAX_BLOCK_BYTES / (4 * size_of::<f64>());

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// Name of the variable; where there is one only, it need not be named.
    pub variable: Option<String>,
    /// The box; none is all that the files have.
    pub region: Option<Region>,
    /// The period; none is all that the files have.
    pub period: Option<Period>,
    /// Hours from one time to the next.
    pub step_hours: u32,
    /// The unit, where the files do not say it or say it wrong.
    pub unit: Option<String>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            variable: None,
            region: Some(Region::PUBLISHED),
            period: None,
            step_hours: 6,
            unit: None,
        }
    }
}

/// What was chosen; the values are read when they are needed.
pub struct Selection {
    /// Name of the variable.
    pub variable: String,
    /// Seconds since 1970 (UTC) of each row, ascending in equal steps.
    pub times: Vec<i64>,
    /// Degrees, ascending.
    pub latitudes: Vec<f64>,
    /// Degrees, ascending: from below 0 on where the box crosses Greenwich.
    pub longitudes: Vec<f64>,
    /// Unit of the values.
    pub units: String,
    /// What was done to the values, for the attributes of what is made of them.
    pub notes: Vec<String>,
    /// Points that have no value in any row; every other value is wanted.
    pub mask: Option<Mask>,
    /// The row that the mask was found in.
    masked_by: usize,
    files: Vec<File>,
    stamps: Vec<Stamp>,
}

/// A file of a selection.
pub struct File {
    archive: Box<dyn Archive>,
    /// Its variable.
    pub layout: Layout,
    /// What is wanted of its latitudes.
    pub latitudes: Part,
    longitudes: Part,
    /// What its values are in.
    pub unit: Unit,
}

impl File {
    fn open(archive: Box<dyn Archive>, request: &Request) -> Result<Self> {
        let layout = Layout::find(&*archive, request.variable.as_deref())?;
        let region = request.region.as_ref();
        let (what, _, values) = layout.coordinate(&*archive, layout.latitude)?;
        let latitudes = axis::latitudes(&what, &values, region)?;
        let (what, _, values) = layout.coordinate(&*archive, layout.longitude)?;
        let longitudes = axis::longitudes(&what, &values, region)?;
        let unit = Unit::of(archive.place(), &layout.variable, request.unit.as_deref())?;
        Ok(Self {
            archive,
            layout,
            latitudes,
            longitudes,
            unit,
        })
    }

    /// Checks that the values of another file can stand beside those of this one.
    fn fits(&self, other: &Self) -> Result<()> {
        let (here, there) = (self.archive.place(), other.archive.place());
        for (what, ours, theirs) in [
            (
                "latitudes",
                &self.latitudes.degrees,
                &other.latitudes.degrees,
            ),
            (
                "longitudes",
                &self.longitudes.degrees,
                &other.longitudes.degrees,
            ),
        ] {
            let same = ours.len() == theirs.len();
            if let Some(i) = (0..ours.len()).find(|&i| !same || ours[i] != theirs[i]) {
                let found = theirs.get(i).map_or("nothing".to_owned(), f64::to_string);
                bail!(
                    "{there} has {} {what} and {found} as number {i}, but {here} has {} and {}",
                    theirs.len(),
                    ours.len(),
                    ours[i]
                );
            }
        }
        ensure!(
            self.unit.name == other.unit.name,
            "{there} has its values in {}, but {here} has them in {}",
            other.unit.name,
            self.unit.name
        );
        Ok(())
    }
}

impl Selection {
    /// Checks everything but the values, which are checked as they are read.
    pub fn open(archives: Vec<Box<dyn Archive>>, request: &Request) -> Result<Self> {
        let files = archives
            .into_iter()
            .map(|archive| File::open(archive, request))
            .collect::<Result<Vec<_>>>()?;
        let Some(first) = files.first() else {
            bail!("there is no file to read from");
        };
        for other in &files[1..] {
            first.fits(other)?;
        }
        let places: Vec<&str> = files.iter().map(|file| file.archive.place()).collect();
        let times = files
            .iter()
            .map(|file| times::of_archive(&*file.archive, &file.layout))
            .collect::<Result<Vec<_>>>()?;
        let all = times::joined(&places, &times)?;
        let stamps = times::chosen(&places, &all, request.period, request.step_hours)?;
        let mut notes: Vec<String> = files
            .iter()
            .filter_map(|file| file.unit.note.clone())
            .collect();
        notes.dedup();
        Ok(Self {
            variable: first.layout.variable.name.clone(),
            times: stamps.iter().map(|stamp| stamp.time).collect(),
            latitudes: first.latitudes.degrees.clone(),
            longitudes: first.longitudes.degrees.clone(),
            units: first.unit.name.clone(),
            notes,
            mask: None,
            masked_by: 0,
            stamps,
            files,
        })
    }

    /// Values of a row.
    pub fn row_len(&self) -> usize {
        self.latitudes.len() * self.longitudes.len()
    }

    /// Rows that are stored together, so that reading them together costs little more than reading one.
    pub fn rows_together(&self) -> usize {
        let file = &self.files[0];
        let stride = match &self.stamps[..] {
            [a, b, ..] if a.file == b.file => b.entry - a.entry,
            _ => 1,
        };
        // What was read is held while it is worked on, by each of the threads that do so.
        let most = AT_ONCE / rayon::current_num_threads() / self.row_len().max(1);
        (stored_together(file) / stride.max(1)).clamp(1, most.max(1))
    }

    /// Masks the points that have no value in a row. Every row that is read must have the others, and these not.
    pub fn mask_as(&mut self, row: usize) -> Result<()> {
        let values = self.read_unchecked(row..row + 1)?;
        let sizes = [self.latitudes.len(), self.longitudes.len()];
        let place = self.files[self.stamps[row].file].archive.place();
        let mask = missing::mask_of(&self.variable, &sizes, &values);
        (self.mask, self.masked_by) = (mask.with_context(|| place.to_owned())?, row);
        Ok(())
    }

    /// Rows as `[row, latitude, longitude]`. A value that is missing is an error that says where, unless its point is
    /// masked.
    ///
    /// # Shapes
    /// - output: [rows, latitudes, longitudes]
    pub fn read(&self, rows: Range<usize>) -> Result<Vec<f32>> {
        self.read_with(rows, |first, values| self.check(first, values))
    }

    fn read_unchecked(&self, rows: Range<usize>) -> Result<Vec<f32>> {
        self.read_with(rows, |_, _| Ok(()))
    }

    /// Reads rows, and has those that were read together checked before the next are: `check(first row, values)`.
    fn read_with(
        &self,
        rows: Range<usize>,
        check: impl Fn(usize, &[f32]) -> Result<()>,
    ) -> Result<Vec<f32>> {
        ensure!(
            rows.start <= rows.end && rows.end <= self.stamps.len(),
            "rows {rows:?} were asked for, but there are {}",
            self.stamps.len()
        );
        let length = rows.len().saturating_mul(self.row_len());
        ensure!(
            length <= MAX_BLOCK_BYTES / size_of::<f64>(),
            "{} rows of {} values were asked for, which is more than is read at once",
            rows.len(),
            self.row_len()
        );
        let mut all = Vec::new();
        let mut first = rows.start;
        while first < rows.end {
            let file = &self.files[self.stamps[first].file];
            let together = stored_together(file);
            // As many rows as can be read at once without reading what nobody wants.
            let goes_on = |i: &usize| {
                let (a, b) = (self.stamps[*i - 1], self.stamps[*i]);
                a.file == b.file
                    && (b.entry == a.entry + 1 || b.entry / together == a.entry / together)
            };
            let end = (first + 1..rows.end)
                .find(|i| !goes_on(i))
                .unwrap_or(rows.end);
            self.read_span(file, &self.stamps[first..end], &mut all)?;
            check(first, &all[(first - rows.start) * self.row_len()..])?;
            all.reserve_exact(length - all.len());
            first = end;
        }
        Ok(all)
    }

    /// Appends rows of one file that lie close to each other.
    fn read_span(&self, file: &File, stamps: &[Stamp], all: &mut Vec<f32>) -> Result<()> {
        let layout = &file.layout;
        let (Some(from), Some(to)) = (stamps.first(), stamps.last()) else {
            return Ok(());
        };
        let begin = all.len();
        let mut left = 0;
        for columns in &file.longitudes.ranges {
            // Any axis that is none of ours has one entry.
            let mut block = vec![0..1; layout.variable.shape.len()];
            block[layout.time] = from.entry..to.entry + 1;
            block[layout.latitude] = file.latitudes.ranges[0].clone();
            block[layout.longitude] = columns.clone();
            if let Some(version) = layout.version {
                block[version] = 0..layout.variable.shape[version];
            }
            let values = file.archive.read(&layout.variable, &block)?;
            // Only now: a file that lies about its size is refused by its first block.
            all.resize(begin + stamps.len() * self.row_len(), f32::NAN);
            let view = View::new(&values, &block, file);
            let rows = all[begin..].chunks_exact_mut(self.row_len());
            for (stamp, row) in stamps.iter().zip(rows) {
                view.copy(stamp.entry - from.entry, left, self.longitudes.len(), row);
            }
            left += columns.len();
        }
        Ok(())
    }

    fn check(&self, first: usize, values: &[f32]) -> Result<()> {
        let Some((i, fault)) = missing::fault(values, self.mask.as_ref()) else {
            return Ok(());
        };
        let row = first + i / self.row_len();
        let (y, x) = (
            i % self.row_len() / self.longitudes.len(),
            i % self.longitudes.len(),
        );
        let entry = |row: usize| {
            let stamp = self.stamps[row];
            format!("{} (entry {})", format_date(stamp.time), stamp.entry)
        };
        let (found, at, wanted) = match fault {
            Fault::Missing => (
                "missing".to_owned(),
                row,
                "every value is wanted".to_owned(),
            ),
            Fault::Infinite(value) => (value.to_string(), row, "every value is wanted".to_owned()),
            Fault::Present => (
                "missing".to_owned(),
                self.masked_by,
                format!(
                    "has a value at {}: a point must be missing at all times or never",
                    entry(row)
                ),
            ),
        };
        let hint = match (fault, &self.mask) {
            (Fault::Missing, None) => self.hint(),
            _ => String::new(),
        };
        bail!(
            "{}: `{}` is {found} at {}, latitude {}, longitude {}, but {wanted}{hint}",
            self.files[self.stamps[at].file].archive.place(),
            self.variable,
            entry(at),
            self.latitudes[y],
            self.longitudes[x]
        )
    }

    /// What to do about missing values, if the same are missing in the first and the last row.
    fn hint(&self) -> String {
        let row = |row: usize| self.read_unchecked(row..row + 1);
        match (row(0), row(self.stamps.len() - 1)) {
            (Ok(first), Ok(last)) => missing::hint(&first, &last),
            _ => String::new(),
        }
    }
}

fn stored_together(file: &File) -> usize {
    let layout = &file.layout;
    // What is stored together is known of the first axis only.
    if layout.time == 0 {
        file.archive.rows_together(&layout.variable).max(1)
    } else {
        1
    }
}
