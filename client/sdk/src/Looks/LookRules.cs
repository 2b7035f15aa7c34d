using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// Applies a complete result about a subject to the client's state: first what any client remembers, then what an owner compares
/// (docs/spec/state.md section 3).
/// </summary>
internal static class LookRules
{
    /// <summary>Computes the facts to remember after a result, in the same way as for a lookup. Returns the reason of a refusal.</summary>
    public static Reason Learn(ClientState seen, ShownVersions shown, out LearntVersions? result)
    {
        result = null;
        ulong? left = UserOf(shown) is { } user ? seen.LeftEpochOf(user) : null;
        var chains = new Dictionary<StructureKey, Seen?>();
        if (shown.HasLeft)
        {
            // The client keeps nothing of the list of a user who has left. If it knows the list from a later period than this result, the
            // user was current after it had left.
            chains[shown.Subject] = null;
            result = new LearntVersions(shown, Math.Max(shown.Epoch, left ?? 0), chains, []);
            return seen.SeenOf(shown.Subject)?.At.Period > shown.Period ? Reason.UserReturned : Reason.Valid;
        }
        var values = new List<ReadOnlyMemory<byte>>();
        foreach ((StructureKey chain, ShownChain versions) in shown.Chains.OrderBy(chain => chain.Key.Structure))
        {
            Seen? before = seen.SeenOf(chain);
            Cursor? own = seen.OwnOf(chain)?.At;
            if (versions.Epoch < shown.Epoch)
            {
                // The device left the list while the client read pages, so another answer may already have shown a newer version of the
                // device's key. So only check that these versions agree with the known ones, and store nothing.
                if (LearnRules.Agree(before?.At, own, versions.Ended.Versions, shown.Period) is var agrees and not Reason.Valid)
                {
                    return agrees;
                }
                continue;
            }
            Reason reason = LearnRules.Learn(before, own, versions.Ended, shown.Period, shown.Epoch, out Seen after);
            if (reason != Reason.Valid)
            {
                return reason;
            }
            // If a chain is known from a later period than this result, or the user is known to have left, this knowledge stays.
            bool isOld = after.At.Period > shown.Period || (chain == shown.Subject && left is not null);
            bool isList = chain.Structure == StructureId.Devices;
            // If the question said that the client knows the list, the answer lacks its octets and their hash. `shown.LatestList` is then
            // the client's own copy.
            chains[chain] = isOld ? before
                : isList ? after with { At = after.At with { ValueSha256 = ValueHash.Of(shown.LatestList.Span) } }
                : after;
            if (!isOld && (isList ? shown.LatestList : versions.Ended.Versions is [.., { Version.Value: { } latest }] ? latest : null)
                is { } value)
            {
                values.Add(value);
            }
        }
        result = new LearntVersions(shown, left, chains, values);
        return Reason.Valid;
    }

    /// <summary>
    /// Returns the current state with the facts to remember. Returns null if another answer about the subject was stored since the client
    /// compared this result with its state.
    /// </summary>
    public static ClientState? Remember(ClientState seen, ClientState current, LearntVersions learnt)
    {
        string? user = UserOf(learnt.Shown);
        if ((user is not null && current.LeftEpochOf(user) != seen.LeftEpochOf(user))
            || learnt.Chains.Keys.Any(chain => current.SeenOf(chain) != seen.SeenOf(chain)))
        {
            return null;
        }
        return learnt.Chains.Aggregate(
            user is null ? current : current.SetLeft(user, learnt.LeftEpoch), (state, chain) => state.SetSeen(chain.Key, chain.Value));
    }

    /// <summary>
    /// Returns the state after the owner compared a result with what it set. The result may show versions again that earlier monitoring
    /// answers showed and that the state no longer has. Such a version raises an alarm if it was still the latest version after the epoch
    /// passed as <paramref name="covered"/> (<see cref="OwnRules.SeeAgain"/>).
    /// </summary>
    public static ClientState Apply(ClientState current, ShownVersions shown, ulong covered)
    {
        string? user = UserOf(shown);
        if (shown.HasLeft)
        {
            // The log copies nothing of a user who has left into later periods, so there is no hand-over to do.
            ClientState left = PersonRules.NoteLeft(current, user!, shown.Epoch);
            return PeriodEnds.Tidy(
                left.SetOwnPerson(user!, left.OwnPersonOf(user!)! with { GoesOnFrom = current.Head?.Period ?? shown.Period }));
        }
        covered = shown.IsShownAgain ? covered : ulong.MaxValue;
        ClientState next = shown.Chains.Aggregate(current, (state, chain) => state.SetOwn(
            chain.Key, chain.Key == shown.Subject
                ? LookAtSubject(state.OwnOf(chain.Key) ?? new Own(), shown, chain.Value, covered)
                : LookAtDevice(state, state.OwnOf(chain.Key) ?? new Own { IsListedOnly = true }, shown, chain.Value, covered)));
        if (user is not null)
        {
            OwnPerson own = next.OwnPersonOf(user)!;
            // The call of Tidy below drops the ids that the state does not need.
            IEnumerable<string> devices = shown.Chains.Keys.Where(chain => chain != shown.Subject).Select(chain => chain.Id);
            next = next.SetOwnPerson(user, own with { GoesOnFrom = shown.Period, Followed = [.. own.Followed.Union(devices)] });
        }
        return PeriodEnds.Tidy(PersonRules.Tidy(next));
    }

    private static Own LookAtSubject(Own own, ShownVersions shown, ShownChain chain, ulong covered)
    {
        own = OwnRules.SeeAgain(own, shown.Period, chain.Ended.Versions, covered);
        own = OwnRules.Look(own, shown.Period, shown.Epoch, chain.Ended.Versions, chain.Handover,
            UserOf(shown) is null ? null : shown.LatestList.ToArray());
        return own with { At = own.At! with { ProvenEpoch = shown.Proven }, IsListedOnly = false };
    }

    // A device's key may also be owned separately, and its own monitoring may then be in another period than this result.
    private static Own LookAtDevice(ClientState current, Own own, ShownVersions shown, ShownChain device, ulong covered)
    {
        IReadOnlyList<TimedVersion> versions = device.Ended.Versions;
        Own before = OwnRules.SeeAgain(own, shown.Period, versions, covered);
        if (before.At?.Period > shown.Period)
        {
            return own;
        }
        // A separately owned key that was not on the list at the end of its period still needs its own hand-over.
        if (before.At is { } at && at.Period < shown.Period && !before.IsListedOnly && device.Handover is null
            && current.EndOf(at.Period) is not null)
        {
            return OwnRules.CompareBehind(before, shown.Period, versions);
        }
        Own next = OwnRules.Look(before, shown.Period, device.Epoch, versions, device.Handover);
        // If this result shows all versions of a separately owned key, store the epoch of this result as the key's ProvenEpoch. It replaces
        // the epoch of the earlier answer that showed all versions of the key.
        return next.At!.ProvenEpoch is not null && versions is [{ Version.Version: 1 }, ..]
            ? next with { At = next.At with { ProvenEpoch = shown.Proven } }
            : next;
    }

    private static string? UserOf(ShownVersions shown) => shown.Subject.Structure == StructureId.Devices ? shown.Subject.Id : null;
}
