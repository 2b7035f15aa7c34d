namespace Optiks.Client;

/// <summary>The kind of an alarm about an owner's user (docs/spec/user-monitor.md section 6).</summary>
public enum UserAlarmKind
{
    /// <summary>
    /// The log shows a version of the device list that the owner did not set with this state. Somebody else added or removed a device.
    /// </summary>
    DeviceList,

    /// <summary>The log shows a value of a device that the owner did not set with this state.</summary>
    DeviceValue,

    /// <summary>The user has left, and the owner did not request that with this state.</summary>
    Left,

    /// <summary>One of the owner's names leads to another user.</summary>
    NameElsewhere,
}
