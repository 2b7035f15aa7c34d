namespace Optiks.UpdateService.Requests;

/// <summary>Names the members that a user change may have in JSON, in the order of <see cref="UserOperationRule.Members"/>.</summary>
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
