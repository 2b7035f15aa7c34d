namespace Optiks.Storage.Driver;

/// <summary>
/// The type with which a statement compares a parameter. With another type the server would convert the column and could not use its index.
/// </summary>
public enum ParameterType
{
    /// <summary>A number of 64 bits, or null.</summary>
    Big,

    /// <summary>A number of 32 bits.</summary>
    Medium,

    /// <summary>A text of at most 256 characters.</summary>
    Text,

    /// <summary>Bytes.</summary>
    Octets,

    /// <summary>A request id.</summary>
    RequestId,

    /// <summary>A time span, in whole milliseconds.</summary>
    Duration,
}

/// <summary>
/// A parameter of a statement. An engine finds the parameter by its position in the order of <see cref="Statements"/>, or by its name. The
/// parameter needs no object for its value.
/// </summary>
public readonly struct Parameter
{
    private readonly string? _text;

    private Parameter(string name, ParameterType type, long? number = null, string? text = null, ReadOnlyMemory<byte> octets = default, Guid id = default)
    {
        Name = name;
        Type = type;
        Number = number;
        _text = text;
        Octets = octets;
        RequestId = id;
    }

    /// <summary>The name, without the engine's prefix.</summary>
    public string Name { get; }

    /// <summary>The type of the value. The property for that type contains the value.</summary>
    public ParameterType Type { get; }

    /// <summary>
    /// The value of a <see cref="ParameterType.Big"/>, an <see cref="ParameterType.Medium"/> or a <see cref="ParameterType.Duration"/>
    /// (milliseconds); null for a null.
    /// </summary>
    public long? Number { get; }

    /// <summary>The value of a <see cref="ParameterType.Text"/>.</summary>
    public string Text => _text!;

    /// <summary>The value of a <see cref="ParameterType.Octets"/>.</summary>
    public ReadOnlyMemory<byte> Octets { get; }

    /// <summary>The value of a <see cref="ParameterType.RequestId"/>.</summary>
    public Guid RequestId { get; }

    /// <summary>Creates a parameter from a number.</summary>
    public static Parameter Create(string name, long value) => new(name, ParameterType.Big, value);

    /// <summary>Creates a parameter from an unsigned number such as an epoch, or from null.</summary>
    public static Parameter Create(string name, ulong? value) => new(name, ParameterType.Big, checked((long?)value));

    /// <summary>Creates a parameter from a number of 32 bits.</summary>
    public static Parameter Create(string name, int value) => new(name, ParameterType.Medium, value);

    /// <summary>Creates a parameter from a text.</summary>
    public static Parameter Create(string name, string value) => new(name, ParameterType.Text, text: value);

    /// <summary>Creates a parameter from bytes.</summary>
    public static Parameter Create(string name, ReadOnlyMemory<byte> value) => new(name, ParameterType.Octets, octets: value);

    /// <summary>Creates a parameter from a request id.</summary>
    public static Parameter Create(string name, Guid value) => new(name, ParameterType.RequestId, id: value);

    /// <summary>Creates a parameter from a time span.</summary>
    public static Parameter Create(string name, TimeSpan value) => new(name, ParameterType.Duration, checked((long)value.TotalMilliseconds));
}
