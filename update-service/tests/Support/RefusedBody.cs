using System.Text;

namespace Optiks.UpdateService.Tests.Support;

/// <summary>
/// Holds a body that the service refuses, and a similar body that it accepts (the control). In the bodies, K is replaced by a key of the
/// case's own, and placeholders such as ID by request ids with the current time.
/// </summary>
internal sealed class RefusedBody
{
    private readonly byte[] _bad;
    private readonly string? _control;

    public RefusedBody(string name, byte[] bad, string type, string? field, string? control = null)
    {
        Name = name;
        _bad = bad;
        Type = type;
        Field = field;
        _control = control;
    }

    public RefusedBody(string name, string bad, string type, string? field, string? control = null)
        : this(name, Encoding.UTF8.GetBytes(bad), type, field, control)
    {
    }

    public string Name { get; }

    public string Type { get; }

    public string? Field { get; }

    public string? ContentType { get; init; } = "application/json";

    public int Status => Type switch
    {
        "unsupported-media-type" => 415,
        "request-id-reused" => 409,
        _ => 400,
    };

    // A body that is not UTF-8 is returned unchanged: it has no placeholders, and decoding would change it.
    public byte[] Bad() => System.Text.Unicode.Utf8.IsValid(_bad) ? Fill(Encoding.UTF8.GetString(_bad)) : _bad;

    /// <summary>Returns the control of this case, or the given body if the case has no control of its own.</summary>
    public byte[] Control(string otherwise) => Fill(_control ?? otherwise);

    private byte[] Fill(string body) => Encoding.UTF8.GetBytes(body
        .Replace("\"K", $"\"{Name}", StringComparison.Ordinal)
        .Replace("ALMOST_O", $"{Ids.New(-TimeSpan.FromHours(23.9))}", StringComparison.Ordinal)
        .Replace("ALMOST_N", $"{Ids.New(TimeSpan.FromMinutes(4.5))}", StringComparison.Ordinal)
        .Replace("OLD", $"{Ids.New(-TimeSpan.FromHours(24.1))}", StringComparison.Ordinal)
        .Replace("NEW", $"{Ids.New(TimeSpan.FromMinutes(5.5))}", StringComparison.Ordinal)
        .Replace("ID", $"{Ids.New()}", StringComparison.Ordinal));
}
