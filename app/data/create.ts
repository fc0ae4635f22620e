import { newId } from './ids'
import type { Copied, CopiedType } from './resources'
import type { Workspace } from './workspace'

/** Makes a resource by a request of its own: what is made so is not edited without network. Throws Refused, Unreachable. */
export async function createResource<Made extends Copied & { readonly id: string }>(
  { api, copy }: Workspace,
  type: CopiedType,
  path: string,
  body: object,
): Promise<Made> {
  const made = await api.call<Made>({ method: 'POST', path, body, headers: { 'Idempotency-Key': newId() } })
  await copy.confirm([{ type, id: made.id, resource: made }])
  return made
}
