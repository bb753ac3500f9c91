//! Headers of edition 2. Octets are numbered as in the WMO's manual on codes, volume I.2, FM 92 GRIB edition 2.

use std::ops::Range;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::bits::Octets;
use super::edition1::seconds_of;
use super::grid::{Described, Grid};
use super::index::{Code, Field, Found, Message, Packing};
use super::names::{Parameter, Table};
use crate::formats::cf;

/// Octets before the first section.
const INDICATOR: u64 = 16;
/// Octets before the content of a section: its length and its number.
const SECTION_HEAD: u64 = 5;
/// Bytes of a section that are read; what is needed of any is in its first 80.
const SECTION_BYTES: u64 = 80;
/// A number that is not given.
const MISSING: u64 = 0xffff_ffff;

/// What has been read of a message so far; a field takes the latest of each, and no two fields have the same product.
#[derive(Default)]
struct State {
    reference: Option<i64>,
    centre: u32,
    grid: Option<Grid>,
    product: Option<(Parameter, i64)>,
    packing: Option<Packing>,
    bitmap: Option<Range<u64>>,
    last_bitmap: Option<Range<u64>>,
}

/// The fields of a message.
pub fn fields(message: &Message, found: &mut Found) -> Result<()> {
    let discipline = message.head[6];
    let mut state = State::default();
    let mut position = message.range.start + INDICATOR;
    while position < message.range.end {
        let head = message.part(position, SECTION_HEAD, "next")?;
        let head = message.bytes.at(head.start, SECTION_HEAD as usize)?;
        let octets = Octets::new("next", &head);
        let (length, number) = (octets.unsigned(1, 4)?, octets.octet(5)?);
        let name = name(number)?;
        ensure!(
            length >= SECTION_HEAD,
            "its {name} section has {length} octets, but at least 5 are needed"
        );
        let range = message.part(position, length, name)?;
        position = range.end;
        if number == 7 {
            found.push(state.field(message, range.start + SECTION_HEAD..range.end)?)?;
            continue;
        }
        let bytes = message
            .bytes
            .at(range.start, length.min(SECTION_BYTES) as usize)?;
        state.take(number, discipline, &Octets::new(name, &bytes), &range)?;
    }
    Ok(())
}

fn name(number: u8) -> Result<&'static str> {
    Ok(match number {
        1 => "identification",
        2 => "local",
        3 => "grid",
        4 => "product",
        5 => "packing",
        6 => "bitmap",
        7 => "data",
        _ => bail!("it has a section of number {number}, but 1 to 7 are known"),
    })
}

impl State {
    fn take(
        &mut self,
        number: u8,
        discipline: u8,
        octets: &Octets,
        range: &Range<u64>,
    ) -> Result<()> {
        match number {
            1 => {
                self.centre = octets.small(6, 7)?;
                self.reference = Some(date(octets, 13).context("its reference time")?);
            }
            3 => self.grid = Some(grid(octets)?),
            4 => {
                let reference = self
                    .reference
                    .ok_or_else(|| anyhow!("its product comes before its reference time"))?;
                self.product = Some(product(octets, discipline, self.centre, reference)?);
            }
            5 => self.packing = Some(packing(octets)?),
            6 => match octets.octet(6)? {
                0 => {
                    self.bitmap = Some(range.start + 6..range.end);
                    self.last_bitmap = self.bitmap.clone();
                }
                254 => {
                    ensure!(
                        self.last_bitmap.is_some(),
                        "it uses the bitmap of an earlier field, but has none"
                    );
                    self.bitmap = self.last_bitmap.clone();
                }
                255 => self.bitmap = None,
                other => bail!("its bitmap is number {other} of a catalogue, which is not known"),
            },
            _ => {}
        }
        Ok(())
    }

    fn field(&mut self, message: &Message, data: Range<u64>) -> Result<Field> {
        let missing = |what: &str| anyhow!("its data come before its {what} section");
        // What comes again begins with section 4 at the latest.
        let (parameter, time) = self.product.take().ok_or_else(|| missing("product"))?;
        Ok(Field {
            message: message.number,
            offset: message.range.start,
            parameter,
            time,
            grid: self.grid.ok_or_else(|| missing("grid"))?,
            bitmap: self.bitmap.clone(),
            data,
            packing: self.packing.ok_or_else(|| missing("packing"))?,
        })
    }
}

/// Seven octets of a date.
fn date(octets: &Octets, first: usize) -> Result<i64> {
    let part = |at: usize| octets.octet(first + at);
    cf::parse_date(&format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        octets.unsigned(first, first + 1)?,
        part(2)?,
        part(3)?,
        part(4)?,
        part(5)?,
        part(6)?
    ))
}

fn grid(octets: &Octets) -> Result<Grid> {
    let template = octets.unsigned(13, 14)?;
    ensure!(
        octets.octet(6)? == 0 && template == 0,
        "its grid is of template 3.{template}, but 3.0 (regular latitudes and longitudes) is wanted"
    );
    ensure!(
        octets.octet(11)? == 0,
        "its grid has rows of different lengths, but a regular one is wanted"
    );
    let (angle, parts) = (octets.unsigned(39, 42)?, octets.unsigned(43, 46)?);
    ensure!(
        (angle == 0 || angle == MISSING) && (parts == 0 || parts == MISSING),
        "its grid is in units of {angle}/{parts} degrees, but millionths are wanted"
    );
    let grid = Grid::new(&Described {
        columns: octets.unsigned(31, 34)?,
        rows: octets.unsigned(35, 38)?,
        parts: 1_000_000,
        latitude: (octets.signed(47, 50)?, octets.signed(56, 59)?),
        longitude: (octets.signed(51, 54)?, octets.signed(60, 63)?),
        scan: octets.octet(72)?,
    })?;
    let points = octets.unsigned(7, 10)?;
    ensure!(
        points == grid.points() as u64,
        "its grid has {} x {} points, but {points} are announced",
        grid.rows,
        grid.columns
    );
    Ok(grid)
}

/// What it is, and when it is valid.
fn product(
    octets: &Octets,
    discipline: u8,
    centre: u32,
    reference: i64,
) -> Result<(Parameter, i64)> {
    let template = octets.unsigned(8, 9)?;
    let time = match template {
        0 | 1 => {
            let step = octets.signed(19, 22)?;
            let unit = match octets.octet(18)? {
                13 => 1,
                other => seconds_of(other)?,
            };
            reference + step * unit
        }
        // Sums and means over an interval are valid at its end.
        8 => date(octets, 35).context("the end of its interval")?,
        11 => date(octets, 38).context("the end of its interval")?,
        other => {
            bail!("its product is of template 4.{other}, but 4.0, 4.1, 4.8 and 4.11 are known")
        }
    };
    let unknown = octets.unsigned(25, 28)? == MISSING;
    let parameter = Parameter {
        centre,
        table: Table::Two(discipline, octets.octet(10)?),
        number: octets.octet(11)?,
        level_type: octets.octet(23)?,
        level_value: if unknown { 0 } else { octets.signed(25, 28)? },
        level_scale: if unknown {
            0
        } else {
            octets.signed(24, 24)? as i8
        },
    };
    Ok((parameter, time))
}

fn packing(octets: &Octets) -> Result<Packing> {
    let template = octets.unsigned(10, 11)?;
    let what = match template {
        0 | 42 => "",
        2 => " (complex packing)",
        3 => " (complex packing with differences)",
        4 => " (floating-point numbers)",
        40 => " (JPEG 2000)",
        41 => " (PNG)",
        50 => " (spherical harmonics)",
        _ => " (not known)",
    };
    ensure!(
        what.is_empty(),
        "its data are of template 5.{template}{what}, but 5.0 (simple packing) or 5.42 (CCSDS) is wanted: grib_set -r -w packingType=* -s packingType=grid_simple makes a file that can be read"
    );
    let bits = octets.small(20, 20)?;
    ensure!(
        bits <= 32,
        "its values have {bits} bits, but at most 32 are known"
    );
    Ok(Packing {
        reference: f64::from(f32::from_bits(octets.small(12, 15)?)),
        binary_scale: octets.signed(16, 17)? as i32,
        decimal_scale: octets.signed(18, 19)? as i32,
        bits,
        count: Some(octets.unsigned(6, 9)? as usize),
        code: if template == 42 {
            Code::Ccsds {
                flags: octets.octet(22)?,
                block: octets.small(23, 23)?,
                interval: octets.small(24, 25)?,
            }
        } else {
            Code::Plain
        },
    })
}
