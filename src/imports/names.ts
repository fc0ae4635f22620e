import { payerOf, type Session } from '../db/database'
import type { QueueNames } from './line'

type Sender = Pick<Session, 'workspace' | 'network'>

/** Under which names an import runs, one under each at a time: all of a network are one, with keys and without. */
export function queueNames({ workspace, network }: Sender): QueueNames {
  return network === undefined || workspace.kind === 'scratch' ? [payerOf(workspace)] : [workspace.id, network]
}

/** Likewise while its file arrives: those without a key, who may be anyone, keep no key of their network waiting. */
export function arrivalQueueNames({ workspace, network }: Sender): QueueNames {
  return network === undefined || workspace.kind === 'scratch'
    ? [payerOf(workspace)]
    : [workspace.id, `keys of ${network}`]
}
