import type { Session } from '../../db/database'
import { ifMatch, type Precondition, type Tagged } from '../../http/conditional'
import type { Once } from '../../http/idempotency'
import { changed, created, send, sendResource } from '../../http/responses'

/** What can be done with each of projects, sections, labels and saved filters. */
interface NamedService<Resource, Create> {
  create(session: Session, input: Create): Promise<Tagged<Resource>>
  get(session: Session, id: string): Promise<Tagged<Resource>>
}

/** With those of them that reach no others by it. */
interface Updating<Resource, Update> {
  update(session: Session, id: string, patch: Update, precondition: Precondition): Promise<Tagged<Resource>>
}
interface Restoring<Resource> {
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
export function namedHandlers<Resource extends { readonly id: string }, Create>({
  collection,
  service,
  once,
  session,
}: Deps<NamedService<Resource, Create>>) {
  return {
    create: async ({ request, body, set }: Context & { readonly body: Create }) =>
      send(
        set,
        await once(request, session(request), body, async (within) =>
          created(collection, await service.create(within, body)),
        ),
      ),

    get: async ({ request, params, set }: Of) =>
      sendResource(request, set, await service.get(session(request), params.id)),
  }
}

export function updateHandler<Resource, Update>({
  service,
  session,
}: Pick<Deps<Updating<Resource, Update>>, 'service' | 'session'>) {
  return async ({ request, params, body, set }: Of & { readonly body: Update }) =>
    send(set, changed(await service.update(session(request), params.id, body, ifMatch(request))))
}

export function restoreHandler<Resource>({ service, once, session }: Omit<Deps<Restoring<Resource>>, 'collection'>) {
  return async ({ request, params, body, set }: Of & { readonly body: unknown }) =>
    send(
      set,
      await once(request, session(request), body, async (within) =>
        changed(await service.restore(within, params.id, ifMatch(request))),
      ),
    )
}
