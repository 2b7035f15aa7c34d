namespace Optiks.Storage;

/// <summary>
/// The type of a parameter, which must be the type of the column with which the statement compares it. If the types differed, the server
/// would convert the column's values and could not use the column's index.
/// </summary>
public enum ParameterType
{
    /// <summary>A 64-bit number, or null.</summary>
    Big,

    /// <summary>A 32-bit number.</summary>
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
/// A parameter of a statement. Some engines find it by its name, others by its position in the order that <see cref="Statements"/>
/// documents. The structure holds its value without a further object.
/// </summary>
public readonly struct Parameter
{
    private readonly string? _text;

    private Parameter(string name, ParameterType type, long? number = null, string? text = null, ReadOnlyMemory<byte> octets = default,
        Guid id = default)
    {
        Name = name;
        Type = type;
        Number = number;
        _text = text;
        Octets = octets;
        RequestId = id;
    }

    /// <summary>The parameter's name, without the prefix that the engine requires.</summary>
    public string Name { get; }

    /// <summary>The type of the value, which determines the property that contains the value.</summary>
    public ParameterType Type { get; }

    /// <summary>
    /// The value of a parameter of type <see cref="ParameterType.Big"/>, <see cref="ParameterType.Medium"/> or
    /// <see cref="ParameterType.Duration"/> (in milliseconds); null if the parameter is null.
    /// </summary>
    public long? Number { get; }

    /// <summary>The value of a parameter of type <see cref="ParameterType.Text"/>.</summary>
    public string Text => _text!;

    /// <summary>The value of a parameter of type <see cref="ParameterType.Octets"/>.</summary>
    public ReadOnlyMemory<byte> Octets { get; }

    /// <summary>The value of a parameter of type <see cref="ParameterType.RequestId"/>.</summary>
    public Guid RequestId { get; }

    /// <summary>Creates a parameter from a 64-bit number.</summary>
    public static Parameter Create(string name, long value) => new(name, ParameterType.Big, value);

    /// <summary>Creates a parameter from an unsigned number such as an epoch, or from null.</summary>
    public static Parameter Create(string name, ulong? value) => new(name, ParameterType.Big, checked((long?)value));

    /// <summary>Creates a parameter from a 32-bit number.</summary>
    public static Parameter Create(string name, int value) => new(name, ParameterType.Medium, value);

    /// <summary>Creates a parameter from a text.</summary>
    public static Parameter Create(string name, string value) => new(name, ParameterType.Text, text: value);

    /// <summary>Creates a parameter from bytes.</summary>
    public static Parameter Create(string name, ReadOnlyMemory<byte> value) => new(name, ParameterType.Octets, octets: value);

    /// <summary>Creates a parameter from a request id.</summary>
    public static Parameter Create(string name, Guid value) => new(name, ParameterType.RequestId, id: value);

    /// <summary>Creates a parameter from a time span.</summary>
    public static Parameter Create(string name, TimeSpan value) =>
        new(name, ParameterType.Duration, checked((long)value.TotalMilliseconds));
}
