using System.Buffers;
using System.Collections.Immutable;
using System.Text.Json;
using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// A request about one user: its body (docs/spec/rest.md section 5), and the changes that the owner expects from the request.
/// </summary>
/// <param name="Id">Id of the request.</param>
/// <param name="User">Id of the user.</param>
/// <param name="Changes">Requested changes.</param>
internal sealed record UserRequest(Guid Id, KeyName User, IReadOnlyList<UserChange> Changes)
{
    private IEnumerable<UserDeviceValue> Values => Changes.SelectMany(change => change.Devices);

    private IEnumerable<string> Names => Changes.SelectMany(change => change.Usernames).Select(Text);

    /// <summary>Returns the body of the request.</summary>
    public ReadOnlyMemory<byte> Body()
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var writer = new Utf8JsonWriter(buffer))
        {
            writer.WriteStartObject();
            writer.WriteString("request_id"u8, Id);
            writer.WriteString("user_b64"u8, User.Id);
            writer.WriteStartArray("changes"u8);
            foreach (UserChange change in Changes)
            {
                Write(writer, change);
            }
            writer.WriteEndArray();
            writer.WriteEndObject();
        }
        return buffer.WrittenMemory;
    }

    /// <summary>
    /// Returns the state with all changes of the request among the owner's expected changes, so that the owner's monitoring raises no alarm
    /// for them.
    /// </summary>
    public ClientState Expect(ClientState current)
    {
        ClientState next = current;
        foreach (UserDeviceValue device in Values)
        {
            next = OwnRules.Expect(
                next, StructureKey.OfKey(KeyName.OfVerified(device.Device).Id), new Expected(Id, ValueHash.Of(device.Value.Span)));
        }
        next = PersonRules.Claim(next, User.Id, Names);
        ImmutableArray<string> added =
            [.. Changes.Where(change => change.Operation is UserOperation.Create or UserOperation.AddDevice)
                .SelectMany(change => change.Devices).Select(device => Text(device.Device))];
        ImmutableArray<string> removed = [.. Changes.Select(change => change.Removed).OfType<ReadOnlyMemory<byte>>().Select(Text)];
        bool leaves = Changes.Any(change => change.Operation == UserOperation.Decommission);
        bool changesList = added.Length > 0 || removed.Length > 0 || Changes[0].Operation == UserOperation.Create;
        OwnPerson? own = next.OwnPersonOf(User.Id) ?? (changesList || leaves ? new OwnPerson() : null);
        if (own is null)
        {
            return next;
        }
        // Monitoring begins at this period. So it also covers what servers showed other clients of the user before the owner monitored the
        // user for the first time.
        own = own.GoesOnFrom is null && current.Head is { } head ? own with { GoesOnFrom = head.Period } : own;
        own = leaves && !own.HasLeft && !own.Leaving.Contains(Id) ? own with { Leaving = own.Leaving.Add(Id) } : own;
        next = next.SetOwnPerson(User.Id, own);
        return changesList
            ? OwnRules.Expect(next, StructureKey.OfList(User.Id), new Expected(Id) { Added = added, Removed = removed })
            : next;
    }

    /// <summary>
    /// Returns the state without the request's changes among the owner's expected changes, and without the request's names among the
    /// owner's names. An expected change or name stays if the state passed as <paramref name="before"/> already had it, because it belongs
    /// to an earlier request.
    /// </summary>
    public ClientState Forget(ClientState current, ClientState? before)
    {
        OwnPerson earlier = before?.OwnPersonOf(User.Id) ?? new OwnPerson();
        ClientState next = Values.Select(device => StructureKey.OfKey(KeyName.OfVerified(device.Device).Id))
            .Append(StructureKey.OfList(User.Id))
            .Aggregate(current, (state, chain) => OwnRules.Forget(state, chain, Id, before));
        next = PersonRules.Disclaim(next, User.Id, [.. Names.Except(earlier.Names)]);
        if (next.OwnPersonOf(User.Id) is not { } own)
        {
            return next;
        }
        OwnPerson left = own.Leaving.Contains(Id) && !earlier.Leaving.Contains(Id)
            ? own with { Leaving = own.Leaving.Remove(Id) }
            : own;
        // Without expected changes, own names or a verified list there is nothing to monitor, so the user gets no period in which
        // monitoring begins.
        left = left is { HasLeft: false, Names.IsEmpty: true, Leaving.IsEmpty: true, GoesOnFrom: not null }
            && PersonRules.ListOf(next, User.Id) is null or { List: null, Expected.IsEmpty: true }
            ? left with { GoesOnFrom = null }
            : left;
        return ReferenceEquals(left, own) ? next : PeriodEnds.Tidy(next.SetOwnPerson(User.Id, left));
    }

    /// <summary>
    /// Adds the keys of published items that the server may not name. Their item numbers tell which keys of the request they are
    /// (docs/spec/rest.md section 5).
    /// </summary>
    public static IReadOnlyList<PublishedKey> WithKeys(
        IReadOnlyList<PublishedKey> items, ReadOnlyMemory<byte> user, IReadOnlyList<UserChange> changes)
    {
        ReadOnlyMemory<byte>[] keys = [user, .. changes.SelectMany(change => change.Usernames),
            .. changes.SelectMany(change => change.Devices).Select(device => device.Device), user];
        return [.. items.Select(item =>
            item.Key.IsEmpty && item.Item >= 0 && item.Item < keys.Length ? item with { Key = keys[item.Item] } : item)];
    }

    private static void Write(Utf8JsonWriter writer, UserChange change)
    {
        writer.WriteStartObject();
        writer.WriteString("op"u8, NameOf(change.Operation));
        switch (change.Operation)
        {
            case UserOperation.Create:
                writer.WriteStartArray("usernames_b64"u8);
                foreach (ReadOnlyMemory<byte> username in change.Usernames)
                {
                    writer.WriteStringValue(Text(username));
                }
                writer.WriteEndArray();
                if (change.Devices.Count == 0)
                {
                    break;
                }
                writer.WriteStartArray("devices"u8);
                foreach (UserDeviceValue device in change.Devices)
                {
                    writer.WriteStartObject();
                    Write(writer, device);
                    writer.WriteEndObject();
                }
                writer.WriteEndArray();
                break;
            case UserOperation.AddUsername:
                writer.WriteString("username_b64"u8, Text(change.Usernames[0]));
                break;
            case UserOperation.AddDevice or UserOperation.SetDevice:
                Write(writer, change.Devices[0]);
                break;
            case UserOperation.RemoveDevice:
                writer.WriteString("device_b64"u8, Text(change.Removed!.Value));
                break;
            default:
                break;
        }
        if (change.Expected is { } expected)
        {
            writer.WriteStartObject("expected"u8);
            writer.WriteNumber("period"u8, expected.Period);
            writer.WriteNumber("version"u8, expected.Version);
            writer.WriteEndObject();
        }
        writer.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter writer, UserDeviceValue device)
    {
        writer.WriteString("device_b64"u8, Text(device.Device));
        writer.WriteString("value_b64"u8, Text(device.Value));
    }

    private static string NameOf(UserOperation operation) => operation switch
    {
        UserOperation.Create => "create",
        UserOperation.AddUsername => "add-username",
        UserOperation.AddDevice => "add-device",
        UserOperation.SetDevice => "set-device",
        UserOperation.RemoveDevice => "remove-device",
        _ => "decommission",
    };

    private static string Text(ReadOnlyMemory<byte> octets) => Base64UrlText.Encode(octets.Span);
}
