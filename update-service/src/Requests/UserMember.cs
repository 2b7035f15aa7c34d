namespace Optiks.UpdateService.Requests;

/// <summary>Names the members of a change of a user, in the order of <see cref="UserOperationRule.Members"/>.</summary>
internal enum UserMember
{
    Op,
    Usernames,
    UsernamesOctets,
    Devices,
    Username,
    UsernameOctets,
    Device,
    DeviceOctets,
    Value,
    ValueOctets,
    Expected,
}
