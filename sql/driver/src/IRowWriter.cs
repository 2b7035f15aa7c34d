namespace Optiks.Storage.Driver;

/// <summary>IRowWriter takes the cells of one row, in the order of its <see cref="Table"/>'s columns. What it is given is used before it returns.</summary>
public interface IRowWriter
{
    /// <summary>Big adds a cell of 64 bits, or null.</summary>
    void Big(long? value);

    /// <summary>Medium adds a cell of 32 bits, or null.</summary>
    void Medium(int? value);

    /// <summary>Small adds an item, a structure or a reason, or null.</summary>
    void Small(int? value);

    /// <summary>Octets adds octets.</summary>
    void Octets(ReadOnlyMemory<byte> value);

    /// <summary>Octets adds at most 32 octets.</summary>
    void Octets(ReadOnlySpan<byte> value);

    /// <summary>Null adds a cell of octets that is null.</summary>
    void Null();

    /// <summary>RequestId adds a request's id.</summary>
    void RequestId(Guid value);

    /// <summary>Natural adds a cell of 64 bits, or null.</summary>
    void Natural(ulong? value) => Big(checked((long?)value));
}
