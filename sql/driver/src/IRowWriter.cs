namespace Optiks.Storage.Driver;

/// <summary>
/// Takes the cells of one row, in the order of its <see cref="Table"/>'s columns. It uses the given memory only until the call returns.
/// </summary>
public interface IRowWriter
{
    /// <summary>Adds a cell of 64 bits, or null.</summary>
    void WriteInt64(long? value);

    /// <summary>Adds a cell of 32 bits, or null.</summary>
    void WriteInt32(int? value);

    /// <summary>Adds a cell for the number of an item, a structure or a reason, or null.</summary>
    void WriteInt16(int? value);

    /// <summary>Adds a cell of bytes.</summary>
    void WriteBytes(ReadOnlyMemory<byte> value);

    /// <summary>Adds a cell of at most 32 bytes.</summary>
    void WriteBytes(ReadOnlySpan<byte> value);

    /// <summary>Adds a null cell of bytes.</summary>
    void WriteNull();

    /// <summary>Adds a request id.</summary>
    void WriteRequestId(Guid value);

    /// <summary>Adds an unsigned number as a cell of 64 bits, or null.</summary>
    void WriteUInt64(ulong? value) => WriteInt64(checked((long?)value));
}
