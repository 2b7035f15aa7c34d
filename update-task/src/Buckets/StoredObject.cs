namespace Optiks.UpdateTask.Buckets;

/// <summary>Holds an object as a bucket returned it.</summary>
/// <param name="Octets">The contents of the object.</param>
/// <param name="Tag">The entity tag of the object.</param>
internal sealed record StoredObject(byte[] Octets, string Tag);
