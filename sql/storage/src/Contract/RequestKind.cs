namespace Optiks.Storage;

/// <summary>The kinds of requests. The structure of a request's first item determines the kind, wherever a request is stored.</summary>
public enum RequestKind
{
    /// <summary>New versions of plain keys: all items have the structure <c>keys</c>.</summary>
    Keys,

    /// <summary>Changes of one user: item 0 is a <see cref="UserChange"/> and has the structure <c>devices</c>.</summary>
    User,

    /// <summary>An erasure: the only item is an <see cref="ErasureOrder"/> and has the structure <c>decommissioned</c>.</summary>
    Erasure,
}
