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
            next = OwnerRules.Expect(next, KeyName.OfVerified(device.Device), new ExpectedChange(Id, ValueHash.Of(device.Value.Span)));
        }
        next = OwnedUserRules.Claim(next, User.Id, Names);
        OwnedUser owned = next.OwnedUsers.GetValueOrDefault(User.Id) ?? new OwnedUser();
        if (owned.GoesOnFrom is null && current.Head is { } head)
        {
            // Monitoring begins at this period. So it also covers what servers showed other clients of the user before the owner monitored
            // the user for the first time.
            owned = owned with { Period = head.Period };
            next = next.OwnedUsers.ContainsKey(User.Id) ? next with { OwnedUsers = next.OwnedUsers.SetItem(User.Id, owned) } : next;
        }
        ImmutableArray<string> added =
            [.. Changes.Where(change => change.Operation is UserOperation.Create or UserOperation.AddDevice)
                .SelectMany(change => change.Devices).Select(device => Text(device.Device))];
        ImmutableArray<string> removed = [.. Changes.Select(change => change.Removed).OfType<ReadOnlyMemory<byte>>().Select(Text)];
        bool leaves = Changes.Any(change => change.Operation == UserOperation.Decommission);
        return (added.Length == 0 && removed.Length == 0 && !leaves && Changes[0].Operation != UserOperation.Create)
            || (leaves && owned.HasLeft) || owned.Expected.Any(new ExpectedUserChange(Id, added, removed, leaves).IsSame)
            ? next
            : next with
            {
                OwnedUsers = next.OwnedUsers.SetItem(
                User.Id, owned with { Expected = owned.Expected.Add(new ExpectedUserChange(Id, added, removed, leaves)) })
            };
    }

    /// <summary>
    /// Returns the state without the request's changes among the owner's expected changes, and without the request's names among the
    /// owner's names. An expected change or name stays if the state passed as <paramref name="before"/> already had it, because it belongs
    /// to an earlier request.
    /// </summary>
    public ClientState Forget(ClientState current, ClientState? before)
    {
        OwnedUser earlier = before?.OwnedUsers.GetValueOrDefault(User.Id) ?? new OwnedUser();
        ClientState next = OwnedUserRules.Disclaim(
            Values.Aggregate(current, (state, device) => OwnerRules.Forget(state, KeyName.OfVerified(device.Device), Id, before)), User.Id,
            [.. Names.Except(earlier.Names)]);
        if (!next.OwnedUsers.TryGetValue(User.Id, out OwnedUser? owned))
        {
            return next;
        }
        OwnedUser left =
            owned with { Expected = owned.Expected.RemoveAll(known => known.RequestId == Id && !earlier.Expected.Any(known.IsSame)) };
        // Without expected changes, own names or a verified list there is nothing to monitor, so the user gets no period in which
        // monitoring begins.
        left = left is { List: null, HasLeft: false, Names.Length: 0, Expected.Length: 0 } ? left with { Period = null } : left;
        return left == owned ? next : PeriodEnds.Tidy(next with { OwnedUsers = next.OwnedUsers.SetItem(User.Id, left) });
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
