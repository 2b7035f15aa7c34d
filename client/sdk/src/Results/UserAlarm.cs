using Optiks.Protocol;

namespace Optiks.Client;

/// <summary>
/// An alarm about a fact of an owner's user that the owner did not cause with this state. The alarm stays until the owner acknowledges it.
/// </summary>
/// <param name="Kind">The kind of fact.</param>
/// <param name="Period">Period of the version; 0 if the alarm is not about a version.</param>
/// <param name="Version">Version of the list or of the device's value; 0 if the alarm is not about a version.</param>
/// <param name="Epoch">Epoch that inserted the version. If the alarm is not about a version, the epoch at which the client saw the
/// fact.</param>
/// <param name="ValueSha256">
/// SHA-256 of the list's octets or of the value in hexadecimal; null if the alarm is about neither a list nor a value, or if the list or
/// value was erased.
/// </param>
/// <param name="Device">The device with the value, in base64url; null if the alarm is not about a value.</param>
/// <param name="Name">The owner's name that leads to another user, in base64url; null if the alarm is not about a name.</param>
/// <param name="User">The user to whom that name leads, in base64url; null if the alarm is not about a name.</param>
/// <param name="Handover">
/// The reason why the version is not the correct copy (docs/spec/periods.md section 6); null if the alarm is about a version that the owner
/// did not set with this state.
/// </param>
public sealed record UserAlarm(
    UserAlarmKind Kind, ulong Period, ulong Version, ulong Epoch, string? ValueSha256 = null, string? Device = null, string? Name = null,
    string? User = null, Reason? Handover = null)
{
    /// <summary>Whether the alarm is about a version of the list or of a device's value.</summary>
    internal bool IsOfVersion => Kind is UserAlarmKind.DeviceList or UserAlarmKind.DeviceValue;

    /// <summary>The alarm as the chain has it, if it is about a version.</summary>
    internal Alarm OfChain => new(Period, Version, Epoch, ValueSha256, Handover);

    /// <summary>Reports an alarm about a version of a device's value, or of the list if <paramref name="device"/> is null.</summary>
    internal static UserAlarm OfVersion(string? device, Alarm alarm) =>
        new(device is null ? UserAlarmKind.DeviceList : UserAlarmKind.DeviceValue, alarm.Period, alarm.Version, alarm.Epoch,
            alarm.ValueSha256, device, Handover: alarm.Handover);

    /// <summary>Reports an alarm about the user itself.</summary>
    internal static UserAlarm OfPerson(PersonAlarm alarm) =>
        new(alarm.Name is null ? UserAlarmKind.Left : UserAlarmKind.NameElsewhere, 0, 0, alarm.Epoch, Name: alarm.Name, User: alarm.User);
}
