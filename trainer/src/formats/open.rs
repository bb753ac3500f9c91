//! From a name to an open archive: the first bytes decide, never the name alone.
//!
//! | begins with | is read as |
//! |---|---|
//! | `GRIB` | GRIB of edition 1 or 2 |
//! | `CDF` and 1, 2 or 5 | NetCDF classic |
//! | `\x89HDF` | NetCDF-4 where the file says so (see [`hdf5::is_netcdf`]), HDF5 otherwise |
//! | `\x93NUMPY` | one array of numpy |
//! | (a folder or an address) | Zarr |

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::file::Bytes;
use super::{Archive, Options, grib, hdf5, netcdf, npy, zarr};

/// Bytes that are looked at.
const FIRST_BYTES: usize = 8;

/// Opens a file, a folder or an address.
pub fn open(source: &str, options: &Options) -> Result<Box<dyn Archive>> {
    let path = Path::new(source);
    if source.contains("://") || path.is_dir() {
        return zarr::open(source, options);
    }
    let first = first_bytes(path).with_context(|| format!("{source}: cannot be read"))?;
    Ok(match first.as_slice() {
        [b'G', b'R', b'I', b'B', ..] => Box::new(grib::open(path)?),
        [b'C', b'D', b'F', 1 | 2 | 5, ..] => Box::new(netcdf::open(path)?),
        b"\x89HDF\r\n\x1a\n" => open_hdf5(path)?,
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Box::new(npy::open(path)?),
        other => bail!(
            "{source}: begins with the bytes {}, which is none of GRIB, NetCDF, HDF5 and .npy (a Zarr store is a folder or an address)",
            shown(other)
        ),
    })
}

/// NetCDF-4 where the file says so. An HDF5 file of h5py may have axes and still not be NetCDF: it is read as what it is.
fn open_hdf5(path: &Path) -> Result<Box<dyn Archive>> {
    if !hdf5::is_netcdf(path)? {
        return Ok(Box::new(hdf5::open(path)?));
    }
    match netcdf::open(path) {
        Ok(archive) => Ok(Box::new(archive)),
        Err(error) if has_netcdf_name(path) => Err(error),
        Err(error) => Ok(Box::new(hdf5::open(path).map_err(|_| error)?)),
    }
}

fn has_netcdf_name(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ["nc", "nc4", "cdf"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

fn first_bytes(path: &Path) -> Result<Vec<u8>> {
    let first = Bytes::open(path)?.up_to(0, FIRST_BYTES)?;
    ensure!(!first.is_empty(), "it is empty");
    Ok(first)
}

/// Bytes as letters where they are letters, and as numbers where not.
fn shown(bytes: &[u8]) -> String {
    format!("`{}`", bytes.escape_ascii())
}
