using Optiks.Protocol;
using Optiks.ServiceDefaults;
using Optiks.Storage;

namespace Optiks.UpdateService.Requests;

/// <summary>
/// Parses the whole body of <c>POST /v1/users</c> (docs/spec/rest.md section 5) before anything else happens, so that a malformed body
/// changes nothing. Works like <see cref="UpdateRequestParser"/>.
/// </summary>
internal ref struct UserRequestParser
{
    private static readonly JsonMembers s_requestMembers = new("request_id", "user", "user_b64", "changes");
    private static readonly JsonMembers s_deviceMembers = new("device", "device_b64", "value", "value_b64");

    private readonly Configuration _log;
    private readonly CallerRights _caller;
    // The usernames and devices that the request has named so far.
    private readonly HashSet<UpdateKey> _named = [];
    private StrictJsonReader _reader;

    private UserRequestParser(ReadOnlySpan<byte> body, Configuration log, CallerRights caller)
    {
        _log = log;
        _caller = caller;
        _reader = new StrictJsonReader(body);
    }

    /// <summary>
    /// Parses a body. Refuses it if the caller may not make one of its changes. The result keeps no reference to the body.
    /// </summary>
    public static ParsedRequests Parse(ReadOnlySpan<byte> body, Configuration log, CallerRights caller)
    {
        var parser = new UserRequestParser(body, log, caller);
        return ParsedRequests.Read(
            ref parser._reader, ref parser, static (ref UserRequestParser one, int? index) => one.ParseRequest(index));
    }

    private ParsedUserRequest ParseRequest(int? index)
    {
        Guid? requestId = null;
        byte[]? user = null;
        bool isUserOctets = false;
        UserChanges? changes = null;
        _reader.StartObject(s_requestMembers);
        while (_reader.TryNextMember(out int member))
        {
            switch (member)
            {
                case 0:
                    requestId = _reader.ReadRequestId();
                    break;
                case 1 or 2:
                    isUserOctets = member == 2;
                    user = _reader.ReadKey("user", isUserOctets, user, _log.MaxKeyLength);
                    if (!_caller.IsOwnUser(user))
                    {
                        throw new ProblemException(CallerRights.NotOwnUser(_reader.Path));
                    }
                    break;
                default:
                    changes = ParseChanges();
                    break;
            }
        }
        CheckUser(user, isUserOctets, changes ?? throw _reader.FailMissing("changes"));
        return new ParsedUserRequest(index, requestId, user, isUserOctets, changes);
    }

    // A user id must be a valid key and a valid value of a username. This also applies to an id that the service makes, because a log's
    // limits on keys or values may be smaller than that id's length.
    private readonly void CheckUser(byte[]? user, bool isOctets, UserChanges changes)
    {
        if (user is null && !changes.Creates)
        {
            throw _reader.FailMissingOneOf("user");
        }
        if (user is null && UserIds.Length > _log.MaxKeyLength)
        {
            throw _reader.FailAt("user", ProblemTypes.KeyLength,
                $"A user id that the service makes has {UserIds.Length} bytes, but this log allows {_log.MaxKeyLength}: give an id.");
        }
        if (changes.Usernames.Count > 0 && (user?.Length ?? UserIds.Length) > _log.MaxValueLength)
        {
            throw _reader.FailAt(isOctets ? "user_b64" : "user", ProblemTypes.ValueLength,
                $"The id is the value of a username, which may have at most {_log.MaxValueLength} bytes.");
        }
    }

    private UserChanges ParseChanges()
    {
        var changes = new UserChanges();
        _named.Clear();
        BoundedList list = BoundedList.Start(ref _reader, Limits.ItemsPerRequest, "changes");
        for (int i = 0; list.TryNext(ref _reader, i); i++)
        {
            Change(changes, i);
            if (changes.NumItems > Limits.ItemsPerRequest)
            {
                throw _reader.Fail(ProblemTypes.BatchLength,
                    $"With this change the request has more than {Limits.ItemsPerRequest} items: the device list, usernames, devices.");
            }
        }
        return changes;
    }

    private void Change(UserChanges changes, int index)
    {
        UserOperationRule? operation = null;
        var given = new Members();
        ulong seen = 0;
        _reader.StartObject(UserOperationRule.Members);
        while (_reader.TryNextMember(out int member))
        {
            seen |= 1UL << member;
            switch ((UserMember)member)
            {
                case UserMember.Op:
                    operation = Operation(changes, index);
                    break;
                case UserMember.Usernames or UserMember.UsernamesOctets:
                    given.Usernames = Usernames(index, (UserMember)member == UserMember.UsernamesOctets, given.Usernames);
                    break;
                case UserMember.Devices:
                    given.Devices = Devices(index);
                    break;
                case UserMember.Username or UserMember.UsernameOctets:
                    given.IsUsernameOctets = (UserMember)member == UserMember.UsernameOctets;
                    given.Username = given.Username is null ? Username(given.IsUsernameOctets) : throw _reader.FailBoth("username");
                    break;
                case UserMember.Expected:
                    given.Expected = _reader.ReadExpected();
                    break;
                default:
                    Device(ref given.Device, member - (int)UserMember.Device);
                    break;
            }
        }
        Add(changes, index, operation ?? throw _reader.FailMissing("op"), seen, in given);
    }

    private readonly UserOperationRule Operation(UserChanges changes, int index)
    {
        UserOperationRule operation = UserOperationRule.Find(_reader.ReadText())
            ?? throw _reader.Fail($"The operation must be one of {string.Join(", ", UserOperationRule.All.Select(one => one.Name))}.");
        return _caller.IsToken && operation.NeedsApiKey ? throw new ProblemException(CallerRights.NotForTokens(_reader.Path))
            : index > 0 && operation == UserOperationRule.Create ? throw _reader.Fail("This operation must be the first of a request.")
            : changes.Decommissions || (index > 0 && operation == UserOperationRule.Decommission)
                ? throw _reader.Fail("The operation decommission must be the only one in a request.")
            : operation;
    }

    // Adds one change, whose members have already been checked one by one. This method checks that the operation may have these members.
    private readonly void Add(UserChanges changes, int index, UserOperationRule operation, ulong seen, in Members given)
    {
        for (UserMember member = UserMember.Op + 1; member <= UserMember.Expected; member++)
        {
            if ((seen & (1UL << (int)member)) != 0 && !operation.Has(member))
            {
                throw _reader.FailAt(UserOperationRule.GetName(member), ProblemTypes.MalformedRequest,
                    $"The operation {operation.Name} has no such member.");
            }
        }
        byte[]? device = !operation.Has(UserMember.Device) ? null : given.Device.Id ?? throw _reader.FailMissingOneOf("device");
        byte[]? value = !operation.Has(UserMember.Value) ? null : given.Device.Value ?? throw _reader.FailMissingOneOf("value");
        var place = new UserChanges.Place(index, null, given.Device.IsOctets);
        if (operation == UserOperationRule.Create)
        {
            changes.Creates = true;
            foreach ((byte[] name, UserChanges.Place at) in given.Usernames ?? throw _reader.FailMissingOneOf("usernames"))
            {
                changes.AddUsername(name, at);
            }
            foreach ((DeviceMembers one, UserChanges.Place at) in given.Devices ?? [])
            {
                changes.AddDevice(one.Id!, one.Value!, at);
            }
        }
        else if (operation == UserOperationRule.AddUsername)
        {
            changes.AddUsername(given.Username ?? throw _reader.FailMissingOneOf("username"),
                place with { IsOctets = given.IsUsernameOctets });
        }
        else if (operation == UserOperationRule.AddDevice)
        {
            // A device id belongs to its first user permanently. If the token does not name the id, the account system may have meant it
            // for another user, so the change is refused.
            if (!_caller.Owns(device))
            {
                throw new ProblemException(CallerRights.NotOwn($"{_reader.Path}.{(given.Device.IsOctets ? "device_b64" : "device")}"));
            }
            changes.AddDevice(device!, value!, place);
        }
        else if (operation == UserOperationRule.SetDevice)
        {
            changes.SetDevice(device!, value!, given.Expected, place);
        }
        else if (operation == UserOperationRule.RemoveDevice)
        {
            changes.RemoveDevice(device!);
        }
        else
        {
            changes.Decommissions = true;
        }
    }

    private List<(byte[] Name, UserChanges.Place Place)> Usernames(int change, bool isOctets, List<(byte[], UserChanges.Place)>? other)
    {
        if (other is not null)
        {
            throw _reader.FailBoth("usernames");
        }
        var names = new List<(byte[], UserChanges.Place)>();
        BoundedList list = BoundedList.Start(ref _reader, Limits.ItemsPerRequest, "usernames");
        while (list.TryNext(ref _reader, names.Count))
        {
            names.Add((Username(isOctets), new UserChanges.Place(change, names.Count, isOctets)));
        }
        return names;
    }

    private byte[] Username(bool isOctets)
    {
        UsernameFault fault = Native.Usernames.Prepare(_log, _reader.ReadTextOrOctets(isOctets), out byte[] form);
        return fault == UsernameFault.Valid ? _named.Add(new UpdateKey(StructureId.Usernames, form)) ? form
                : throw _reader.Fail(ProblemTypes.DuplicateKey, "The username is already in this request.")
            : _log.UsernameForm == UsernameForm.Octets
                ? throw _reader.Fail(ProblemTypes.KeyLength, $"A username must have 1 to {_log.MaxKeyLength} bytes.")
            : throw _reader.Fail(ProblemTypes.UsernameForm, fault.Sentence());
    }

    private List<(DeviceMembers Device, UserChanges.Place Place)> Devices(int change)
    {
        var devices = new List<(DeviceMembers, UserChanges.Place)>();
        BoundedList list = BoundedList.Start(ref _reader, Limits.ItemsPerRequest, "devices");
        while (list.TryNext(ref _reader, devices.Count))
        {
            var device = new DeviceMembers();
            _reader.StartObject(s_deviceMembers);
            while (_reader.TryNextMember(out int member))
            {
                Device(ref device, member);
            }
            _ = device.Id ?? throw _reader.FailMissingOneOf("device");
            _ = device.Value ?? throw _reader.FailMissingOneOf("value");
            devices.Add((device, new UserChanges.Place(change, devices.Count, device.IsOctets)));
        }
        return devices;
    }

    /// <summary>Reads the value of one member of a device; the member's number is an index into <see cref="s_deviceMembers"/>.</summary>
    private void Device(ref DeviceMembers device, int member)
    {
        if (member is 2 or 3)
        {
            device.Value = _reader.ReadValue(member == 3, device.Value, _log.MaxValueLength);
            return;
        }
        device.IsOctets = member == 1;
        device.Id = _reader.ReadKey("device", device.IsOctets, device.Id, _log.MaxKeyLength);
        if (!_named.Add(new UpdateKey(StructureId.Keys, device.Id)))
        {
            throw _reader.Fail(ProblemTypes.DuplicateKey, "The device is already in this request.");
        }
    }

    /// <summary>Holds the members of a change that were read so far.</summary>
    private struct Members
    {
        public List<(byte[] Name, UserChanges.Place Place)>? Usernames;
        public byte[]? Username;
        public bool IsUsernameOctets;
        public List<(DeviceMembers Device, UserChanges.Place Place)>? Devices;
        public DeviceMembers Device;
        public ExpectedVersion? Expected;
    }

    private struct DeviceMembers
    {
        public byte[]? Id;
        public bool IsOctets;
        public byte[]? Value;
    }
}
