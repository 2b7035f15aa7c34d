namespace Optiks.Storage.Driver;

/// <summary>Decides which type a statement compares a parameter with: a converted column would not be looked up in its index.</summary>
public enum ParameterType
{
    /// <summary>A number of 64 bits, or null.</summary>
    Big,

    /// <summary>A number of 32 bits.</summary>
    Medium,

    /// <summary>A text of at most 256 characters.</summary>
    Text,

    /// <summary>Octets.</summary>
    Octets,

    /// <summary>A request id.</summary>
    RequestId,

    /// <summary>A time span, in whole milliseconds.</summary>
    Duration,
}

/// <summary>Parameter of a statement. An engine finds it by its position, as <see cref="Statements"/> lists them, or by its name. Made without an object for its value.</summary>
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

    /// <summary>Name without an engine's mark.</summary>
    public string Name { get; }

    /// <summary>Type of the value, which is in the property of the same kind.</summary>
    public ParameterType Type { get; }

    /// <summary>Number of a <see cref="ParameterType.Big"/>, an <see cref="ParameterType.Medium"/> or a <see cref="ParameterType.Duration"/> (milliseconds); null: null.</summary>
    public long? Number { get; }

    /// <summary>Text of a <see cref="ParameterType.Text"/>.</summary>
    public string Text => _text!;

    /// <summary>Octets of <see cref="ParameterType.Octets"/>.</summary>
    public ReadOnlyMemory<byte> Octets { get; }

    /// <summary>RequestId of a <see cref="ParameterType.RequestId"/>.</summary>
    public Guid RequestId { get; }

    /// <summary>Of a number.</summary>
    public static Parameter Of(string name, long value) => new(name, ParameterType.Big, value);

    /// <summary>Of a number such as an epoch's; null: null.</summary>
    public static Parameter Of(string name, ulong? value) => new(name, ParameterType.Big, checked((long?)value));

    /// <summary>Of a small number.</summary>
    public static Parameter Of(string name, int value) => new(name, ParameterType.Medium, value);

    /// <summary>Of a name.</summary>
    public static Parameter Of(string name, string value) => new(name, ParameterType.Text, text: value);

    /// <summary>Of octets.</summary>
    public static Parameter Of(string name, ReadOnlyMemory<byte> value) => new(name, ParameterType.Octets, octets: value);

    /// <summary>Of a request's id.</summary>
    public static Parameter Of(string name, Guid value) => new(name, ParameterType.RequestId, id: value);

    /// <summary>Of a time span.</summary>
    public static Parameter Of(string name, TimeSpan value) => new(name, ParameterType.Duration, checked((long)value.TotalMilliseconds));
}
