def score(task):
    return task["score"] * 2
