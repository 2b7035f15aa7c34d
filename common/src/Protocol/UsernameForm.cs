namespace Optiks.Protocol;

/// <summary>Lists the forms of usernames that a log can have (docs/spec/usernames.md).</summary>
public enum UsernameForm : byte
{
    /// <summary>Usernames are byte strings, which are compared byte by byte.</summary>
    Octets = 0,

    /// <summary>Usernames are text in the profile UsernameCaseMapped of PRECIS (RFC 8265 section 3.3), with Unicode 15.0.0.</summary>
    CaseMapped = 1,
}
