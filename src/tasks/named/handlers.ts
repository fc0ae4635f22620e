import type { Session } from '../../db/database'
import { ifMatch, type Precondition, type Tagged } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, created, send, show } from '../../http/reply'

/** What can be done with each of projects, sections, labels and saved filters. */
export interface NamedService<Resource, Create, Update> {
  create(session: Session, input: Create): Promise<Tagged<Resource>>
  get(session: Session, id: string): Promise<Tagged<Resource>>
  update(session: Session, id: string, patch: Update, precondition: Precondition): Promise<Tagged<Resource>>
  restore(session: Session, id: string, precondition: Precondition): Promise<Tagged<Resource>>
}

interface Deps<Service> {
  readonly collection: string
  readonly service: Service
  readonly once: Once
  /** The workspace of whoever sent a request. */
  readonly session: (request: Request) => Session
}

interface Context {
  readonly request: Request
  readonly set: Parameters<typeof send>[0]
}
type Of = Context & { readonly params: { readonly id: string } }

/** The handlers of the routes that are alike for all of them. */
export function namedHandlers<Resource extends { readonly id: string }, Create, Update>({
  collection,
  service,
  once,
  session,
}: Deps<NamedService<Resource, Create, Update>>) {
  return {
    create: async ({ request, body, set }: Context & { readonly body: Create }) =>
      send(
        set,
        await once(request, session(request), body, async (within) =>
          created(collection, await service.create(within, body)),
        ),
      ),

    get: async ({ request, params, set }: Of) => show(request, set, await service.get(session(request), params.id)),

    update: async ({ request, params, body, set }: Of & { readonly body: Update }) =>
      send(set, changed(await service.update(session(request), params.id, body, ifMatch(request)))),

    restore: async ({ request, params, body, set }: Of & { readonly body: unknown }) =>
      send(
        set,
        await once(request, session(request), body, async (within) =>
          changed(await service.restore(within, params.id, ifMatch(request))),
        ),
      ),
  }
}
