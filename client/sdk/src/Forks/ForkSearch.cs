using Optiks.Protocol;
using Optiks.Tlog;

namespace Optiks.Client;

/// <summary>
/// Finds out whether an answer that contradicts the kept head is a lie of a server or a fork of the log. It compares every checkpoint that
/// the log signed, in the answer and on the server's board, with the kept checkpoint (docs/spec/answers.md section 7). The cost is bounded:
/// two notes, some dozens of hash tiles, and the time limit <see cref="Within"/>. Thread-safe.
/// </summary>
internal sealed class ForkSearch
{
    private readonly TrustAnchor _anchor;
    private readonly IReadOnlyList<Uri> _servers;
    private readonly ServerConnection _connection;
    private readonly TimeProvider _time;

    public ForkSearch(TrustAnchor anchor, IReadOnlyList<Uri> servers, ServerConnection connection, TimeProvider time)
    {
        _anchor = anchor;
        _servers = servers;
        _connection = connection;
        _time = time;
    }

    /// <summary>The time limit of a search. The search ends then, whatever the server does.</summary>
    public static TimeSpan Within { get; } = TimeSpan.FromSeconds(60);

    /// <summary>Tells whether an answer that was refused for this reason may belong to another history than the kept head.</summary>
    public static bool MayShow(Reason reason) => reason is
        Reason.RecordPeriod or Reason.RecordCount or Reason.RecordPrevious or Reason.RecordTime or Reason.RecordVrfKey or Reason.RecordEpoch
        or Reason.CheckpointConsistency or Reason.InclusionIndex or Reason.InclusionProof;

    /// <summary>
    /// Searches for a fork. The answer must decode, and the verifier must have refused it. If the answer is empty, the search compares only
    /// the server's current checkpoint with the kept one. The call throws only when the caller cancels.
    /// </summary>
    public async Task<ForkFinding> RunAsync(HeadState kept, ReadOnlyMemory<byte> answer, Uri server, CancellationToken cancellationToken)
    {
        (ReadOnlyMemory<byte> record, ReadOnlyMemory<byte> note) = answer.IsEmpty ? default : Heads.Peek(answer);
        using var late = new CancellationTokenSource(Within, _time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        var tiles = new BoardReader(_connection, server);
        string detail = "";
        try
        {
            foreach (Func<Task<byte[]>> next in (Func<Task<byte[]>>[])[() => Task.FromResult(note.ToArray()),
                () => tiles.CheckpointAsync(either.Token)])
            {
                byte[] candidate = await next().ConfigureAwait(false);
                if (candidate.Length == 0)
                {
                    continue;
                }
                (HeadComparison? comparison, detail) =
                    await CompareAsync(kept, candidate,
                        [tiles, .. _servers.Where(other => other != server).Select(other => new BoardReader(_connection, other))],
                        either.Token)
                    .ConfigureAwait(false);
                if (comparison is { Relation: HeadRelation.Contradicts })
                {
                    return new ForkFinding(
                        new Contradiction(candidate, comparison.Prefix, record, answer) { IsSmaller = comparison.IsSmaller }, "");
                }
            }
        }
        catch (OptiksServerException e)
        {
            detail = $"whether the log forked could not be told: {e.Message}";
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            detail = $"whether the log forked could not be told: {server.Authority} took too long.";
        }
        return new ForkFinding(null, detail);
    }

    private async Task<(HeadComparison? Comparison, string Detail)> CompareAsync(
        HeadState kept, byte[] candidate, IReadOnlyList<BoardReader> boards, CancellationToken cancellationToken)
    {
        Reason reason = VerifiedNote.Verify(_anchor, candidate, out VerifiedNote? note);
        if (note is null)
        {
            return (null, $"the server's checkpoint is not one that the log signed ({reason.Name()}), so it says nothing about the log");
        }
        try
        {
            HeadComparison comparison = await HeadComparison.RunAsync(kept, note, boards, cancellationToken).ConfigureAwait(false);
            return (comparison, comparison.Relation == HeadRelation.Smaller
                ? "the server's signed checkpoint is smaller than the one kept, and nothing shows that the log forked"
                : "the server's signed checkpoint agrees with what was verified before, so this is no fork");
        }
        catch (InvalidTileException e)
        {
            return (null, $"whether the log forked could not be told: the board's files do not make up the signed tree ({e.Message})");
        }
    }
}
