/// Access with which a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Read an existing store. Nothing can be written.
    ReadOnly,
    /// Read and write an existing store.
    Existing,
    /// Read and write a store; a missing one is created, in a folder or a database that exists.
    #[default]
    Create,
}
