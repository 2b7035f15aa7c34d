namespace Optiks.UpdateService.Requests;

/// <summary>UserMember is a member of a change of a user, in the order of <see cref="UserOperation.Members"/>.</summary>
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
