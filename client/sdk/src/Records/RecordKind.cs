namespace Optiks.Client;

/// <summary>The kind of a record of a client's state: the first octet of the record's key (docs/spec/client-state.md section 2).</summary>
internal enum RecordKind : byte
{
    Meta = 1,
    Head = 2,
    End = 3,
    Cosigners = 4,
    Unaudited = 5,
    Own = 6,
    Chain = 7,
    Value = 8,
    List = 9,
    Name = 10,
    Person = 11,
    Leaf = 12,
    Note = 13,
    Fork = 14,
    Leaves = 15,
}
