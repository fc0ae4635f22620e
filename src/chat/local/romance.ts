/** The sentences of commands in French and Spanish; see verbs.ts. */
export const FRENCH_COMMANDS = {
  undo: `(?:annule|défais|reviens)(?:[ -](?:ça|le|la|cela|en arrière|(?:la |ma )?dernière (?:modification|action)|ce que tu viens de faire|le dernier changement))?
    (?:annuler|défaire)(?: (?:ça|cela|ce que tu viens de faire|(?:la )?dernière (?:modification|action)))
    (?:c'était (?:une erreur|faux)[,.]? )(?:annule|défais)(?:[ -](?:le|la|ça))?`,
  restore: `(?:restaure|rétablis|récupère|ramène|remets|sors)[ -]<x>(?: (?:de la|hors de la) corbeille)?
    (?:restaurer|rétablir|récupérer|remettre|ramener|sortir) <x>(?: de la corbeille)?`,
  quiz: `(?:interroge|teste)-moi(?: (?:en|sur|avec)(?: le| les)? <d>)?
    pose-moi une (?:autre )?(?:carte|question)(?: (?:de|sur|en) <d>)?
    on révise(?: mes| les)? (?:cartes|<d>)
    fais-moi réviser(?: le| les| mes)?(?: paquet)?(?: <d>)?
    (?:je veux|j'aimerais) réviser(?: <d>)?[,.;] ?(?:interroge|pose)-moi.*
    (?:la )?(?:carte|question) suivante`,
  draft: `(?:fais|crée|génère|propose|tire|prépare|je veux|je voudrais)(?:-moi)?(?: des| quelques)? (?:cartes?(?: mémoire)?|flashcards|fiches) (?:à partir (?:de|des?|du)|avec|de|pour|sur) <x>
    (?:faire|créer|générer) des (?:cartes(?: mémoire)?|flashcards|fiches) (?:à partir de|avec|de|pour|sur) <x>
    (?:transforme|change) <x> en (?:cartes|fiches|flashcards)
    (?:des )?(?:cartes(?: mémoire)?|fiches|flashcards) à partir de <x>`,
  card: `(?:crée|fais|ajoute|nouvelle)(?:-moi)?(?: une| la)?(?: nouvelle)? (?:carte(?: mémoire)?|flashcard|fiche)(?:(?: (?:à|dans|pour) <d>)? ?:| (?=recto|question|.+(?: = | - | – | -> | / ))) ?<t>
    créer une (?:carte(?: mémoire)?|flashcard|fiche) ?: ?<t>
    (?:carte(?: mémoire)?|flashcard|fiche) ?: <t>`,
  undate: `(?:enlève|supprime|retire|efface|ôte|enlever|supprimer|retirer|ôter|effacer) (?:la date(?: limite)?|l'échéance) (?:d(?:e|u|es)|à|pour) ?<x>
    (?:enlève|supprime|retire|efface|ôte|enlever|supprimer|retirer|ôter|effacer) (?:la date(?: limite)?|l'échéance) d'<x>
    (?:mets|laisse|mettre|laisser) <x> sans (?:date|échéance)
    plus de (?:date|échéance) pour <x>
    ~<x> (?:n'a plus|n'a pas) (?:de date|d'échéance)`,
  rank: `(?:change|mets|passe|mettre|changer|passer) la priorité d(?:e |u |es |')<X> (?:en|à|sur) <p>
    (?:mets|passe|mettre|passer) <X> (?:en|à|comme) <p>
    (?:rends|marque|rendre|marquer) <X>(?: comme)? <p>
    donne(?:r)? à <X> (?:la |une )?<p>
    (?:enlève|supprime|retire|enlever|supprimer|retirer) la (?<p>priorité) (?:d(?:e|u|es)|à) ?'?<x>
    ~<x> (?:est|a)(?: la)? <p>`,
  label: `(?:étiquette|étiqueter|marque) <X> (?:avec|comme) (?:l'étiquette |le label )?<l>
    (?:mets|colle|pose|mettre|coller) (?:l'étiquette|le label|le tag) <l> (?:sur|à) <x>
    (?:ajoute|ajouter) (?:l'étiquette|le label|le tag) <l> (?:à|au|sur) <x>
    (?:ajoute|ajouter|mets) (?<l>#\\S+) (?:à|sur) <x>
    donne(?:r)? à <X> (?:l'étiquette|le label|le tag) <l>
    (?:enlève|retire|supprime) (?:l'|le )(?<off>étiquette|label|tag) <l> (?:de|à) <x>
    ~<x> ?: étiquette <l>`,
  rename: `(?:renomme|rebaptise|renommer|rebaptiser) <X> (?:en|comme) <n>
    (?:appelle|appeler|rebaptise|renomme) <x> ["«“](?<n>[^"»”]+)["»”]
    rebaptise (?<x>(?:la |le )?(?:note|tâche) .+) (?<n>\\S+)
    (?:change|changer) le (?:titre|nom) d(?:e|u) <X> (?:en|à|pour) <n>
    donne(?:r)? à <X> le (?:titre|nom) <n>
    ~<x> doit s'appeler <n>`,
  complete: `(?:coche|termine|valide|clos|cocher|terminer|valider|achève)[ -]<x>
    (?:raye|barre|rayer|barrer) <x>(?: de ma liste.*)?
    (?:marque|marquer)[ -]<x> comme (?<off>à faire|pas faite?|non terminée?)
    (?:marque|marquer)[ -]<x> comme (?:faite?|terminée?|finie?)
    (?<off>rouvre|rouvrir)[ -]<x>
    ~<x> (?:est|sont) (?:faite?s?|terminée?s?|finie?s?)
    (?:fait|terminé) ?: <x>`,
  list: `(?:ajoute|mets|inscris|rajoute|note|ajouter|mettre|inscrire)(?: aussi| encore)? <t> (?:à|sur|dans) <n>
    (?:encore|aussi) <t> (?:à|sur|dans) <n>
    (?:il faut|il me faut|on a besoin de|nous avons besoin de) <t>,? (?:ajoute|mets|inscris)-l(?:e|a|es) (?:à|sur|dans) <n>
    (?:fais|crée|nouvelle)(?:-moi)?(?: une)?(?: nouvelle)? <n> ?(?::|avec) <t>
    <n> ?(?::|\\n) ?<t>`,
  append: `(?:ajoute|écris|note|mets|inscris|ajouter) (?:à|dans|au|sur)(?: la fin de)? <x> ?: ?<t>
    (?:ajoute|mets|écris|ajouter|mettre) <T> (?:à|dans|au|sur)(?: la fin de)? <x>
    (?:complète|compléter) <x> avec ?:? ?<t>
    (?:dans|à la fin de) <x>,? (?:ajoute|écris|note|mets) ?:? ?<t>
    (?:note|écris) dans <x> (?:que|qu') ?<t>`,
  remind: `(?:rappelle|rappeler)(?:-moi| moi)? <w> (?:de |d'|que |qu')<t>
    (?:rappelle-moi|rappelle moi|me rappeler) <w> (?:de |d'|que |qu'|pour )<t>
    (?:rappelle-moi|rappelle moi|me rappeler)(?: de | d'| que | qu'| pour | ?: ?)<t>
    <w>,? (?:rappelle-moi|rappelle moi) (?:de |d'|que )<t>
    (?:nouveau )?rappel(?: pour <w>)? ?: <t>
    (?:crée|mets|ajoute)(?:-moi)? un rappel(?: pour <w>)? ?(?::|de|d'|pour) ?<t>
    ne me laisse pas oublier (?:de |d'|que )?<t>`,
  task: `(?:ajoute|crée|nouvelle|ajouter|créer)(?:-moi)?(?: une| la)?(?: nouvelle)? tâche(?: dans le projet <j>)?(?: pour <w> ?:)? ?(?::|,|pour|de|d')? ?<t>
    (?:crée|ajoute|créer) dans le projet <j> une tâche ?:? <t>
    (?:mets|ajoute|note|inscris) <t> (?:dans|à|sur) (?:mes tâches|ma liste de tâches)
    (?:ajoute|mets) (?:à|dans|sur) (?:ma liste de tâches|mes tâches) ?:? ?<t>
    (?:à faire|tâches?) ?: <t>`,
  note: `(?:crée|ajoute|écris|fais|nouvelle|créer)(?:-moi)?(?: une)?(?: nouvelle)? note (?:intitulée|appelée|nommée|avec le titre) <n> ?(?::|avec le texte) <t>
    (?:crée|ajoute|écris|fais|nouvelle|créer)(?:-moi)?(?: une)?(?: nouvelle)? note (?:intitulée|appelée|nommée|avec le titre) <n>
    (?:crée|ajoute|écris|fais|nouvelle|créer)(?:-moi)?(?: une)?(?: nouvelle)? note ["«“] ?(?<n>[^"»”]+?) ?["»”](?: ?:? ?<t>)?
    (?:crée|ajoute|écris|fais|nouvelle|prends|créer)(?:-moi)?(?: une)?(?: nouvelle)? note ?(?::|que|qu'|disant) ?<t>
    note ?: <t>
    (?:crée|ajoute|fais)(?:-moi)? une (?:nouvelle )?note`,
  remember: `(?:retiens|souviens[- ]toi|mémorise|enregistre|garde en mémoire|n'oublie pas|note)(?: bien)?(?: (?:ça|ceci))? ?(?:que |qu'|: ?)<t>`,
  move: `(?:déplace|mets|range|déplacer|mettre) <x> dans le projet <j>
    (?:déplace|mets|range) <x> dans le dossier (?<folder>.+)
    (?:reporte|décale|repousse|avance|déplace|reporter|décaler|repousser|avancer|déplacer)[ -]<X> (?:à|au|jusqu'à|jusqu'au|pour|en) (?:le )?<w>
    (?:mets|change|fixe|mettre|changer) (?:l'échéance|la date(?: limite)?) d(?:e |u |es |')<X> (?:à|au|pour) (?:le )?<w>
    ~<x> (?:peut|doit) attendre (?:jusqu'à|jusqu'au) <w>
    ~<x> (?:est|doit être) pour (?:le )?<w>`,
  delete: `(?:mets|jette|mettre) <x> (?:à|dans) la (?:corbeille|poubelle)
    (?:supprime|efface|jette|retire|enlève|supprimer|effacer|jeter)[ -]<x>(?: de ma liste.*)?
    débarrasse-toi d(?:e |u )<x>`,
}

export const SPANISH_COMMANDS = {
  undo: `(?:deshaz|deshazlo|anula|revierte|vuelve atrás)(?: (?:eso|esto|lo último|(?:el|mi) último cambio|lo que acabas de hacer))?
    deshacer(?: (?:eso|lo que acabas de hacer|el último cambio))
    (?:(?:eso|esto) (?:estaba mal|fue un error)[,.]? )(?:deshazlo|anúlalo|deshaz eso)`,
  restore: `(?:restaura|recupera|devuélveme|trae de vuelta|restaurar|recuperar) <x>(?: de la papelera)?
    saca <x> de la papelera
    (?:restáura|recupéra)(?<x>l[oa])`,
  quiz: `pregúntame(?: (?:sobre|de|algo de) <d>| algo| una tarjeta)?
    (?:ponme|hazme|dame) (?:una|otra) (?:tarjeta|pregunta)(?: (?:de|sobre) <d>)?
    (?:vamos a|quiero) (?:repasar|practicar|estudiar)(?: mis| las)?(?: tarjetas| <d>)?(?:[,.;] ?(?:pregúntame|hazme).*)?
    hazme un (?:test|examen) (?:de|sobre) <d>
    (?:la )?siguiente (?:tarjeta|pregunta)`,
  draft: `(?:haz|crea|genera|propón|saca|quiero|prepara)(?:me)?(?: unas| algunas)? (?:tarjetas|fichas|flashcards) (?:a partir de|con|de|para|sobre) <x>
    (?:hacer|crear|generar) (?:tarjetas|fichas|flashcards) (?:a partir de|con|de|para|sobre) <x>
    convierte <x> en (?:tarjetas|fichas|flashcards)
    (?:tarjetas|fichas|flashcards) a partir de <x>`,
  card: `(?:crea|haz|añade|agrega|nueva|crear)(?:me)?(?: una| la)?(?: nueva)? (?:tarjeta|ficha|flashcard)(?:(?: (?:a|en|para) <d>)?:| (?=pregunta|.+(?: = | - | – | -> | / ))) ?<t>
    (?:tarjeta|ficha|flashcard): <t>`,
  undate: `(?:quita|borra|saca|elimina|quitar|borrar|sacar|eliminar) (?:la fecha(?: límite)?|el plazo|el vencimiento) (?:de|del|a) ?<x>
    (?:deja|pon|dejar|poner) <x> sin (?:fecha|plazo)
    ~<x> ya no tiene (?:fecha|plazo)(?:, quíta(?:la|lo))?
    sin fecha para <x>`,
  rank: `(?:cambia|pon|sube|baja|cambiar|poner) la prioridad (?:de|del) ?<X> (?:a|en|como) <p>
    (?:pon|sube|baja|pasa|poner|subir|bajar) <X> (?:en|a|como) <p>
    (?:haz|marca) <p> <X>
    (?:haz|marca|marcar) <X>(?: como)? <p>
    dale a <X> (?:la |una )?<p>
    (?:quita|borra|elimina|quitar) la (?<p>prioridad) (?:de|a) ?<x>
    ~<x> (?:es|tiene)(?: la)? <p>`,
  label: `(?:etiqueta|etiquetar|marca) <X> (?:con|como) (?:la etiqueta )?<l>
    (?:pon|añade|agrega|poner|añadir|agregar|ponle) (?:la etiqueta|las etiquetas|el tag) <l> (?:a|en) (?:la tarea )?<x>
    (?:pon|añade|agrega) (?<l>#\\S+) a <x>
    (?:dale|ponle) a <X> (?:la etiqueta|las etiquetas) <l>
    (?:quita|elimina) la (?<off>etiqueta) <l> (?:de|a) <x>
    ~<x>: etiqueta <l>`,
  rename: `(?:renombra|rebautiza|renombrar|rebautizar) <X> (?:a|como|en|por) <n>
    (?:llama|llamar) a <x> ["“«](?<n>[^"”»]+)["”»]
    (?:cambia|cambiar) el (?:nombre|título) (?:de|del) ?<X> (?:a|por|en) <n>
    ~<x> debe llamarse <n>`,
  complete: `(?:marca|marcar|pon) <x> como (?<off>pendiente|no hech[oa]|sin hacer)
    (?:marca|marcar|pon) <x> como (?:hech[oa]|completad[oa]|terminad[oa]|list[oa])
    márca(?<x>l[oa]) como (?:hech[oa]|completad[oa]|terminad[oa])
    (?:tacha|completa(?!.* con: )|termina|completar|terminar|tachar) <x>(?: de mi lista)?
    (?:táchal[oa]|complétal[oa])(?<x>)
    (?<off>reabre|reabrir) <x>
    da por hech[oa] <x>
    hech[oa]: <x>
    ~<x> (?:está|están) (?:hech[oa]s?|terminad[oa]s?|completad[oa]s?)`,
  list: `(?:añade|pon|agrega|apunta|mete|anota|añadir|poner|agregar|incluye)(?: también)? <t> (?:a|en) <n>
    (?:también|más) <t> (?:a|en) <n>
    (?:hace falta|hacen falta|necesitamos|necesito) <t>,? (?:añáde|pon|agréga|apúnta)l[oa]s? (?:a|en) <n>
    (?:haz|crea|nueva)(?:me)?(?: una)?(?: nueva)? <n>(?::| con) <t>
    <n>(?::|\\n) ?<t>`,
  append: `(?:añade|agrega|escribe|anota|apunta|pon) (?:a|en|al final de) <x>: ?<t>
    (?:añade|agrega|pon|escribe|anota) <T> (?:a|en|al final de) <x>
    (?:completa|completar) <x> con: ?<t>
    (?:en|al final de) <x>,? (?:añade|agrega|escribe|anota|pon):? ?<t>`,
  remind: `(?:recuérdame|recordar|me recordar|recordarme)(?: que)? <t>
    <w>,? recuérdame(?: que)? <t>
    (?:nuevo )?recordatorio(?: para <w>)?: <t>
    (?:pon|crea|añade)(?:me)? un recordatorio(?: para <w>)?(?::| para| de) <t>
    no me dejes olvidar(?: que)? <t>`,
  task: `(?:nueva|añade|agrega|crea|añadir|crear|agregar)(?:me)?(?: una| la)?(?: nueva)? tarea(?: nueva)?(?: (?:en|al) (?:el )?proyecto <j>)?(?: para <w>:)?(?::|,| para| de)? ?<t>
    (?:añade|crea) (?:en|al) (?:el )?proyecto <j> una tarea:? <t>
    (?:apunta|pon|añade|anota) en (?:mis tareas|mi lista(?: de tareas)?):? <t>
    (?:apunta|pon|añade|anota) <t> (?:en|a) (?:mis tareas|mi lista(?: de tareas)?)
    (?:tareas?|por hacer|pendiente): <t>`,
  note: `(?:crea|añade|escribe|haz|nueva|crear)(?:me)?(?: una)?(?: nueva)? nota (?:titulada|llamada|con el título) <n>(?::| con el texto) <t>
    (?:crea|añade|escribe|haz|nueva|crear)(?:me)?(?: una)?(?: nueva)? nota (?:titulada|llamada|con el título) <n>
    (?:crea|añade|escribe|haz|nueva|crear)(?:me)?(?: una)?(?: nueva)? nota ["“«](?<n>[^"”»]+)["”»](?::? ?<t>)?
    (?:crea|añade|escribe|haz|nueva|toma|crear)(?:me)?(?: una)?(?: nueva)? nota(?: nueva)?(?::| de que| que) ?<t>
    nota: <t>
    (?:crea|añade|haz)(?:me)? una (?:nueva )?nota`,
  remember: `(?:recuerda|acuérdate de|ten en cuenta|ten presente|anota|apunta|apúntate|guarda|memoriza|no olvides)(?: (?:esto|eso))?(?: que |: ?)<t>`,
  move: `(?:mueve|pon|mete|mover) <x> (?:al|en el) proyecto <j>
    (?:mueve|pon|mete) <x> (?:a la|en la) carpeta (?<folder>.+)
    (?:mueve|pasa|pospón|aplaza|retrasa|adelanta|cambia|mover|pasar|posponer|aplazar|retrasar) <X> (?:a|al|para|hasta)(?: el)? <w>
    (?:muéve|apláza|pása|pospón)(?<x>l[oa]) (?:a|al|para|hasta)(?: el)? <w>
    (?:deja|dejar) <X> para(?: el)? <w>
    (?:cambia|pon|cambiar|poner) la fecha (?:de|del) ?<X> (?:a|al|para)(?: el)? <w>
    ~<x> puede esperar (?:a|al|hasta)(?: el)? <w>`,
  delete: `(?:manda|mueve|tira|echa) <x> a la (?:papelera|basura)
    (?:borra|elimina|suprime|tira|quita|borrar|eliminar|suprimir) <x>
    (?:bórra|elimína|quíta)(?<x>l[oa])
    deshazte de <x>`,
}
