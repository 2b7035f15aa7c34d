namespace Optiks.Protocol;

/// <summary>MediaTypes of bodies and answers (docs/spec/rest.md).</summary>
public static class MediaTypes
{
    public const string Json = "application/json";

    public const string Query = "application/vnd.optiks.query";

    public const string Lookup = "application/vnd.optiks.lookup";

    public const string History = "application/vnd.optiks.history";

    public const string Monitor = "application/vnd.optiks.monitor";

    public const string Head = "application/vnd.optiks.head";

    public const string Record = "application/vnd.optiks.record";

    public const string AuditProof = "application/vnd.optiks.audit-proof";

    public const string Snapshot = "application/vnd.optiks.snapshot";
}
