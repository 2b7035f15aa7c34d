namespace Optiks.Storage;

/// <summary>
/// Takes the cells of one row, in the order of the columns of its <see cref="Table"/>. Each method uses the memory that it gets only until
/// it returns.
/// </summary>
public interface IRowWriter
{
    /// <summary>Adds a cell with a 64-bit number or null.</summary>
    void WriteInt64(long? value);

    /// <summary>Adds a cell with a 32-bit number or null.</summary>
    void WriteInt32(int? value);

    /// <summary>Adds a cell with the number of an item, a structure or a reason, or with null.</summary>
    void WriteInt16(int? value);

    /// <summary>Adds a cell with bytes of any length.</summary>
    void WriteBytes(ReadOnlyMemory<byte> value);

    /// <summary>Adds a cell with at most 32 bytes.</summary>
    void WriteBytes(ReadOnlySpan<byte> value);

    /// <summary>Adds a null to a column of bytes.</summary>
    void WriteNull();

    /// <summary>Adds a cell with a request id.</summary>
    void WriteRequestId(Guid value);

    /// <summary>Adds a cell with an unsigned number, stored in 64 bits, or null.</summary>
    void WriteUInt64(ulong? value) => WriteInt64(checked((long?)value));
}
