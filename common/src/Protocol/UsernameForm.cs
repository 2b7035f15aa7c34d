namespace Optiks.Protocol;

/// <summary>Says which usernames a log has (docs/spec/usernames.md).</summary>
public enum UsernameForm : byte
{
    /// <summary>Usernames are bytes, compared one by one.</summary>
    Octets = 0,

    /// <summary>Usernames are text: PRECIS UsernameCaseMapped (RFC 8265 section 3.3) of Unicode 15.0.0.</summary>
    CaseMapped = 1,
}
