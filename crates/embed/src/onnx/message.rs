//! Protocol buffers, as far as a graph needs them. Fields are written in the order of the calls.

/// Message under construction.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

/// Wire types of `onnx.proto`'s fields.
const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;
const FIXED_32: u64 = 5;

impl Message {
    /// Appends an integer. A negative number of this size takes ten bytes.
    pub(super) fn int(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3 | VARINT);
        self.varint(value.cast_unsigned());
        self
    }

    /// Appends a number of 32 bits.
    pub(super) fn float(mut self, field: u64, value: f32) -> Self {
        self.varint(field << 3 | FIXED_32);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Appends bytes or text.
    pub(super) fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.append(field, value);
        self
    }

    /// Appends a message within this one.
    pub(super) fn message(mut self, field: u64, value: &Self) -> Self {
        self.append(field, &value.0);
        self
    }

    /// Appends the fields of another message, as if they had been written to this one.
    pub(super) fn fields(mut self, other: Self) -> Self {
        if self.0.is_empty() {
            return other;
        }
        self.0.extend_from_slice(&other.0);
        self
    }

    /// Adds an element of a repeated field.
    pub(super) fn push(&mut self, field: u64, value: &Self) {
        self.append(field, &value.0);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn append(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | LENGTH_DELIMITED);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_the_layout_of_protocol_buffers() {
        // Field number times eight plus wire type, then the value; a zero that is set is written.
        let inner = Message::default().int(1, 0).bytes(8, b"n");
        let outer = Message::default().int(20, 300).float(2, 1.0).message(7, &inner).int(3, -1);
        let expected = [
            b"\xa0\x01\xac\x02".as_slice(),
            b"\x15\x00\x00\x80\x3f",
            b"\x3a\x05\x08\x00\x42\x01n",
            b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ];
        assert_eq!(outer.into_bytes(), expected.concat());
    }
}
