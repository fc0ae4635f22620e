/** Which of two states of a resource that the server told of is the later one: answers arrive in another order than given. */

/** What is known of when a state was that of the server. */
export interface Version {
  /** Of a resource that is gone: the revision that its deletion was. */
  readonly revision: number
  /** The place of its change in the feed; undefined: it came as the answer to another request. */
  readonly seq: number | undefined
  /** When the page of the feed was asked for that had it, in milliseconds since 1970. */
  readonly askedAt: number | undefined
  /** When it arrived. */
  readonly at: number
}

/**
 * Whether a state is older than the one that is known. A page of the feed that was asked for after that one had arrived is
 * not, whatever its numbers are: what is made anew under the id of what was erased begins with the first revision.
 */
function isOlder(next: Version, known: Version): boolean {
  if (next.askedAt !== undefined && next.askedAt > known.at) return false
  if (next.seq !== undefined && known.seq !== undefined) return next.seq < known.seq
  return next.revision < known.revision
}

/** The version of a resource that is now known in place of `known`. */
function follow(next: Version, known: Version | undefined): Version {
  const isSame = next.revision === known?.revision
  return { ...next, seq: next.seq ?? (isSame ? known?.seq : undefined) }
}

/** The latest version of each resource that was told of since the app was opened, also of what is gone. */
export function createVersions() {
  const latest = new Map<string, Version>()
  return {
    of: (type: string, id: string): Version | undefined => latest.get(`${type} ${id}`),
    forgetAll: () => latest.clear(),

    /** Takes a version; returns false if a later one is known. */
    take(type: string, id: string, version: Version): boolean {
      const key = `${type} ${id}`
      const known = latest.get(key)
      if (known && isOlder(version, known)) return false
      latest.set(key, follow(version, known))
      return true
    },
  }
}
