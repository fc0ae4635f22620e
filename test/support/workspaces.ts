import { createListeners } from '../../src/workspace/processes'
import { createWorkspaces } from '../../src/workspace/service'

type Deps = Parameters<typeof createWorkspaces>[0]

const UNLIMITED = { resources: Number.MAX_SAFE_INTEGER, size_bytes: Number.MAX_SAFE_INTEGER }

/** The workspaces of a database, for tests of parts: with one quota for all callers, and a disk that is never full. */
export function makeWorkspaces({ db, now }: Pick<Deps, 'db' | 'now'>, quota: Deps['quotas']['key'] = UNLIMITED) {
  return createWorkspaces({
    ...{ db, now, listeners: createListeners() },
    ...{ quotas: { key: quota, scratch: quota }, diskIsFull: () => false },
  })
}
