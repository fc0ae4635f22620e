/** The revisions that the writes of this page have made of resources. */
import { type ResourceWrite, type Write, writtenBody } from './writes'

export function createOwnRevisions() {
  /** The revision that a confirmed write made of another one, and the body it gave, by type, id and that other one. */
  const successors = new Map<string, { readonly revision: number; readonly body: string | undefined }>()

  return {
    /** Remembers the revision that a write made. */
    note(write: ResourceWrite, revision: number): void {
      const { type, op } = write
      successors.set(`${type} ${op.id} ${revision - 1}`, { revision, body: writtenBody(write) })
    },

    /**
     * The revision that own writes alone have made of a revision of a resource. With a body it is the last one that has it:
     * the outbox also sends what other tabs have left, which was not seen where that body was changed.
     */
    latest(type: Write['type'], id: string, revision: number, body?: string): number {
      let [latest, found] = [revision, revision]
      for (;;) {
        const next = successors.get(`${type} ${id} ${latest}`)
        // What is not confirmed yet is made by its first revision.
        if (!next) return Math.max(found, 1)
        const isSeen = next.body === undefined ? found === latest : body === undefined || next.body === body
        if (isSeen) found = next.revision
        latest = next.revision
      }
    },
  }
}
