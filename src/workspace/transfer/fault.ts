import type { Refusal } from '../../http/problem'
import type { ImportWarning } from '../../imports/kind'

/** What a line is refused for: by the first member that is wrong, if it is one. */
export function faultOf({ code, detail, extra }: Refusal): ImportWarning {
  const [fault] = (extra.errors ?? []) as readonly { readonly code: string }[]
  return { code: fault?.code ?? code, detail }
}
