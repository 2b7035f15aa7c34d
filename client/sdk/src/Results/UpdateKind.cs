namespace Optiks.Client;

/// <summary>Names the kinds of requests with updates.</summary>
public enum UpdateKind
{
    /// <summary>The request sets values of plain keys.</summary>
    Keys,

    /// <summary>The request changes a user.</summary>
    User,
}
