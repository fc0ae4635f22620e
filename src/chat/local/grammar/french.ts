import type { CommandWords } from './english'

/** French. */
export const FRENCH_WORDS: CommandWords = {
  // Things.
  ...{ task: 'tâche|tâches|tache|rappel', note: 'note', notes: 'note|notes' },
  cards: 'cartes|fiches|carte|fiche|flashcards',
  ...{ deck: 'paquet|deck', summary: 'résumé', project: 'projet', folder: 'dossier', tag: 'étiquette|tag' },
  bin: 'corbeille',
  list: 'ma liste|la liste|ma liste de tâches|la liste de tâches|ma liste des tâches|liste de tâches|mes tâches',
  // Verbs.
  put: 'ajoute|ajouter|ajoutez|mets|mettre|mettez|écris|écrire|inscris',
  make: 'ajoute|ajouter|ajoutez|crée|créer|créez|écris|fais|nouvelle|nouveau',
  ...{ rename: 'renomme|renommer|renommez', dub: 'renomme' },
  trash: 'supprime|supprimer|supprimez|efface|effacer|effacez|retire|retirer|enlève|enlever|jette',
  tick: 'coche|cocher|raye|rayer',
  finish: 'termine|terminer|terminez|coche|cocher|cochez|achève|achever|finis',
  ...{ reopen: 'rouvre|rouvrir|réouvre|décoche', state: 'marque|marquer|marquez' },
  move: 'déplace|déplacer|déplacez|reporte|reporter|reportez|repousse|repousser|décale|décaler|mets',
  ...{ file: 'déplace|déplacer|range|ranger|mets|mettre', labels: 'étiquette|marque|tague' },
  ...{ keep: 'range|mets|enregistre|ajoute', draft: 'fais|fais-moi|crée|génère|donne|donne-moi' },
  ...{ restore: 'restaure|restaurer|récupère|récupérer', take: 'sors', begin: 'crée|créer|créez|écris|ajoute|fais' },
  ...{ bare: 'tâche|nouvelle tâche', remind: 'rappelle-moi|rappelez-moi|me rappeler' },
  ...{ find: 'cherche|chercher|trouve|trouver|montre|montre-moi|affiche', sum: 'résume|résumer|résumez' },
  ...{ memo: 'note|nouvelle note' },
  // Words between verbs and things.
  copula: 'est|sont|serait|seraient|était|sera',
  ...{ det: "le|la|les|l'|un|une|des|ma|mon|mes|cette|ce|nouvelle|nouveau", my: 'la|ma', fresh: 'une|nouvelle' },
  ...{ named: 'appelée|nommée|intitulée', titled: 'appelée|nommée|intitulée|avec le titre' },
  ...{ and: 'et', to: 'à|a|dans|sur|au|aux|en', off: 'de|du|dans|hors de', from: "de|du|d'|à partir de|avec|sur" },
  ...{ of: "de|du|d'", by: 'par', as: 'avec|comme' },
  ...{ into: 'en', onto: "à|au|pour|jusqu'à|jusqu'au|sur", conn: "de|d'|que|qu'|:|,|appelée|pour" },
  ...{
    telling: "de|d'|que|qu'",
    saying: ":|que|qu'",
    says: ':|,|que',
    that: "que|qu'",
    about: 'sur|avec',
    me: 'moi|me',
  },
  joint: ",|;|.|!|et|alors|s'il te plaît|stp|svp",
  please:
    "et|puis|aussi|s'il te plaît|s'il vous plaît|stp|svp|peux-tu|pourrais-tu|tu peux|peux-tu s'il te plaît|pouvez-vous|veuillez",

  // Levels and states of tasks.
  done: 'faite|terminée|comme fait|comme terminé|comme faite|comme terminée|comme achevée|comme finie',
  undone: 'non faite|à faire|ouverte|non terminée|comme non faite|comme à faire|comme ouverte|comme non terminée',
  ...{ p1: 'urgentes|urgente|priorité maximale|priorité 1', p2: 'haute priorité|priorité haute|priorité 2' },
  ...{ p3: 'priorité moyenne|priorité 3', p4: 'basse priorité|priorité basse|priorité 4', p0: 'sans priorité' },
  ...{ finished: 'terminées|terminée|terminé|faites|finies|fini|achevé', overdue: 'en retard', undated: 'sans date' },
  ...{ recurring: 'récurrentes|récurrente', blocked: 'bloquées|bloquée', in_progress: 'en cours' },
  cancelled: 'annulées',
  // Words that ask, and what tells that nothing is to be done.
  ask: 'combien|quoi|qui|quand|où|comment|pourquoi|quel|quelle|quels|quelles|ce que|ce qui|si',
  ...{ subject: 'je|tu|il|elle|nous|on|ai|as|a-t-il', refuse: "pas|jamais|ne|n'|aucun|aucune" },
  shows: 'montre|montre-moi|affiche|affiche-moi|donne-moi|liste',
  owns: "ai-je|j'|mes|mon|ma|reste|ouvertes|encore",
  fill: "quoi|quel|quelle|quels|quelles|que|qu'|est-ce|qui|sont|est|a|ai|y|a-t-il|il|toutes|tous|avec|et|dans|en|de|des|du|pour|les|le|la|on|j'|d'|je|été|ont|me|moi|sur|à|au|pour",
  howmany: 'combien|combien de|nombre de',
  agenda:
    "que dois-je faire|qu'est-ce que j'ai à faire|qu'ai-je à faire|qu'ai-je de prévu|agenda|au programme|qu'est-ce que je dois faire|qu'est-ce qui est prévu|qu'est-ce que j'ai de prévu|quoi de prévu",
  changes:
    "qu'est-ce qui a changé|qu'est-ce qui est nouveau|quoi de neuf|qu'ai-je changé|qu'ai-je modifié|derniers changements|changements",
  deleted: 'supprimé|supprimées|supprimés|effacé',
  clock:
    'quelle heure est-il|quelle heure il est|il est quelle heure|quel jour sommes-nous|quel jour on est|quelle est la date|on est quel jour|quelle date sommes-nous',
  study: 'à réviser|à apprendre|à revoir',
  ...{ hello: 'bonjour|bonsoir|salut', thank: 'merci|merci beaucoup|au revoir|à bientôt' },
  help: 'aide|aide-moi|que peux-tu faire|que sais-tu faire',
  // What a question can be narrowed to.
  ...{ labelled: "avec l'étiquette|étiquetées|avec le tag|avec étiquette", inproject: 'dans le projet|du projet' },
  ...{ infolder: 'dans le dossier|du dossier', indeck: 'dans le paquet|du paquet', inside: 'dans|du|de' },
  ...{ created: 'créées|créée|créé|ajoutées|écrites', updated: 'modifiées|modifiée|modifié|changées' },
  ...{ due: 'dues|prévues|prévu|à échéance|à rendre', latest: 'dernières notes|récentes|plus récentes|dernière note' },
  newest: 'dernières',
  // Dates.
  day: "aujourd'hui|demain|hier|après-demain|avant-hier|semaine|semaines|mois|année|jour|jours|week-end|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
  ...{ dated_: 'cette|ce|prochaine|prochain|dernière|dernier|la|le', today: "aujourd'hui", tomorrow: 'demain' },
  ...{ week: 'cette semaine', before: 'avant', until: "jusqu'à|jusqu'au|d'ici", after: 'après', since: 'depuis' },
}
