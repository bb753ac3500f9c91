//! A second reader, written from the format page alone: if this fails, the page lies.

use super::*;

/// Name, unit, mean, standard deviation, sizes and bits of a mask, size of the change over a step.
type Field = (
    String,
    String,
    f64,
    f64,
    Option<(Vec<u64>, Vec<u8>)>,
    Option<f64>,
);

/// Reads the primitive types of the page.
struct Page<'a>(&'a [u8]);

impl Page<'_> {
    fn take(&mut self, n: usize) -> Vec<u8> {
        let (head, tail) = self.0.split_at(n);
        self.0 = tail;
        head.to_vec()
    }

    fn uint(&mut self) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = self.take(1)[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.take(8).try_into().expect("eight bytes"))
    }

    fn f32(&mut self) -> f32 {
        f32::from_le_bytes(self.take(4).try_into().expect("four bytes"))
    }

    fn text(&mut self) -> String {
        let length = self.uint() as usize;
        String::from_utf8(self.take(length)).expect("UTF-8")
    }

    fn list<T>(&mut self, read: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.uint()).map(|_| read(self)).collect()
    }

    fn level(&mut self) -> (u64, Vec<u64>, Vec<f64>) {
        (self.uint(), self.list(Self::uint), self.list(Self::f64))
    }

    fn quantity(&mut self) -> Field {
        let (name, unit, mean, std) = (self.text(), self.text(), self.f64(), self.f64());
        let mask = (self.take(1) == [1]).then(|| {
            let sizes = self.list(Self::uint);
            let bytes = self.uint() as usize;
            (sizes, self.take(bytes))
        });
        let increment = (self.take(1) == [1]).then(|| self.f64());
        (name, unit, mean, std, mask, increment)
    }

    fn axis(&mut self) -> (String, u64, f64, f64, String) {
        (
            self.text(),
            self.uint(),
            self.f64(),
            self.f64(),
            self.text(),
        )
    }
}

#[test]
fn a_reader_written_from_the_format_page_finds_the_same_model() {
    let model = sample();
    let file = model.encode(Precision::F32).expect("encodes");
    let header_length = u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize;
    assert_eq!(file[16..24], (file.len() as u64).to_le_bytes());
    let data = (24 + header_length).div_ceil(64) * 64;

    let mut page = Page(&file[24..24 + header_length]);
    let enums: Vec<u64> = (0..4).map(|_| page.uint()).collect();
    assert_eq!(enums, [1, 1, 0, 0], "ks, pno-d, fno, fixed");
    let sizes: Vec<u64> = (0..6).map(|_| page.uint()).collect();
    assert_eq!(sizes, [3, 1, 2, 3, 3, 1]);
    assert_eq!(page.list(Page::uint), [2, 3]);
    assert!(page.list(Page::level).is_empty());
    assert_eq!((page.f32(), page.f32()), (0.2, 0.1));
    assert_eq!(page.uint(), 1, "one network");
    assert_eq!((page.uint(), page.uint()), (1, 0), "increments, no MLP");
    assert!(page.list(Page::f32).is_empty(), "no noise");
    assert_eq!(page.take(1), [0], "exact inputs");

    let axes = page.list(Page::axis);
    assert_eq!(axes[1], ("x".into(), 300, 0.5, 0.25, "m".into()));
    assert_eq!(page.list(Page::axis), axes);
    let quantities = page.list(Page::quantity);
    assert_eq!(
        quantities,
        [("u".into(), "m/s".into(), 0.5, 2.6431, None, None)]
    );
    let outputs = page.list(Page::quantity);
    let (sizes, bits) = outputs[0].4.as_ref().expect("a mask");
    assert_eq!(outputs[0].5, Some(0.75));
    assert_eq!((sizes.as_slice(), bits.len()), ([300].as_slice(), 38));
    let masked = (0..8 * 38).filter(|i| bits[i / 8] >> (i % 8) & 1 == 1);
    assert_eq!(masked.collect::<Vec<_>>(), [9, 109, 209]);
    let coordinates = page.list(|p| (p.uint(), p.f64(), p.f64()));
    assert_eq!(coordinates, [(1, 0.0, 1.0), (0, 0.0, 1.0)]);
    assert_eq!(page.uint(), 0, "flat");

    let texts: Vec<String> = (0..4).map(|_| page.text()).collect();
    assert_eq!(texts[1..3], ["2026-01-02", "0.1.0"]);
    assert_eq!((page.uint(), page.uint()), (u64::MAX, 300));
    let settings = page.list(|p| (p.text(), p.text()));
    assert_eq!(settings, [("train.batch".into(), "32".into())]);
    assert_eq!(page.text(), "small, für Tests");

    assert_eq!(page.take(1), [1], "there are scores");
    assert_eq!((page.uint(), page.uint()), (100, 200));
    let scores: Vec<f64> = (0..6).map(|_| page.f64()).collect();
    assert_eq!(scores, [0.5, 0.25, 0.125, -0.5, 0.93, 1.5]);
    assert_eq!(page.take(1), [1], "there is a calibration");
    let (coverage, members, cases) = (page.f64(), page.uint(), page.uint());
    assert_eq!((coverage, members, cases), (0.95, 100, 40));
    assert_eq!(page.text(), "0123abcd valid");
    assert_eq!(page.uint(), 1, "one channel");
    assert_eq!(page.list(Page::f32), [1.25, 1.5]);
    assert_eq!(page.uint(), 0, "f32");

    let table = page.list(|p| (p.text(), p.list(Page::uint), p.uint(), p.uint()));
    assert!(page.0.is_empty());
    assert_eq!(table.len(), model.tensors.len());
    assert_eq!(table[4].0, "blocks.0.spectral.real");
    assert_eq!(table[4].1, [4, 2, 2]);
    for ((name, shape, offset, length), values) in table.into_iter().zip(&model.tensors) {
        assert_eq!(
            shape.iter().product::<u64>() as usize,
            values.len(),
            "{name}"
        );
        let first = data + offset as usize;
        let mut raw = Page(&file[first..first + length as usize]);
        let read: Vec<f32> = values.iter().map(|_| raw.f32()).collect();
        assert_eq!(&read, values, "{name}");
    }
}
