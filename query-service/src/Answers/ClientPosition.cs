using System.Globalization;
using Microsoft.Extensions.Primitives;
using Optiks.ServiceDefaults;

namespace Optiks.QueryService.Answers;

/// <summary>
/// Says which part of the log a client has seen, according to the request's URL: <c>?checkpoint_size=s&amp;min_epoch=e</c>
/// (docs/spec/rest.md section 4).
/// </summary>
/// <param name="CheckpointSize">The size of the checkpoint that the client keeps; 0 if the client keeps no checkpoint.</param>
/// <param name="MinEpoch">The earliest epoch that the client accepts for the answer.</param>
internal readonly record struct ClientPosition(ulong CheckpointSize, ulong MinEpoch)
{
    public const string CheckpointSizeParameter = "checkpoint_size";
    public const string MinEpochParameter = "min_epoch";

    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(1);

    /// <summary>Reads the two parameters from a request's URL; an absent parameter gives 0. Throws <see cref="ProblemException"/>
    /// (malformed-request) if a parameter is invalid.</summary>
    public static ClientPosition Read(HttpRequest request) =>
        // Most requests have no query string. This check comes first, because parsing the query string allocates memory.
        request.QueryString.HasValue
            ? new ClientPosition(Find(request, CheckpointSizeParameter) ?? 0, Find(request, MinEpochParameter) ?? 0)
            : default;

    /// <summary>Parses a decimal number below 2^64; accepts only the canonical form.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out ulong value) =>
        ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && (text.Length == 1 || text[0] != '0');

    /// <summary>
    /// Creates the problem for a client that has seen a part of the log that this replica does not have yet. Another replica may have that
    /// part already, and this replica will probably have it later.
    /// </summary>
    public static ProblemException NotCaughtUp(string detail, string field) =>
        new(new Problem(ProblemTypes.NotCaughtUp, detail, field, s_retryAfter));

    /// <summary>Throws <see cref="ProblemException"/> (not-caught-up) if the client has seen a later epoch than this one.</summary>
    public void ThrowIfAhead(ulong epoch)
    {
        if (MinEpoch > epoch)
        {
            throw NotCaughtUp($"This replica's newest epoch is {epoch}.", $"?{MinEpochParameter}");
        }
        if (CheckpointSize > epoch + 1)
        {
            throw NotCaughtUp($"This replica's checkpoint has size {epoch + 1}.", $"?{CheckpointSizeParameter}");
        }
    }

    /// <summary>
    /// Reads an integer parameter from the URL; returns null if it is absent. Throws <see cref="ProblemException"/> (malformed-request) if
    /// it is invalid.
    /// </summary>
    public static ulong? Find(HttpRequest request, string parameter) =>
        !request.Query.TryGetValue(parameter, out StringValues values) ? null
            : values.Count == 1 && TryParse(values[0], out ulong value) ? value
            : throw new ProblemException(
                new Problem(ProblemTypes.MalformedRequest, "The parameter must be one decimal integer without leading zeros.",
                    $"?{parameter}"));
}
