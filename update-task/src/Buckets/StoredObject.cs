namespace Optiks.UpdateTask.Buckets;

/// <summary>StoredObject is an object as a bucket gave it.</summary>
/// <param name="Octets">Its contents.</param>
/// <param name="Tag">Its entity tag.</param>
internal sealed record StoredObject(byte[] Octets, string Tag);
