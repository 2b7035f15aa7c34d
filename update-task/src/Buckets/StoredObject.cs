namespace Optiks.UpdateTask.Buckets;

/// <summary>Holds an object that was read from a bucket.</summary>
/// <param name="Octets">The contents of the object.</param>
/// <param name="Tag">The entity tag of the object.</param>
internal sealed record StoredObject(byte[] Octets, string Tag);
